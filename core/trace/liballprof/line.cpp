#include "core/trace/liballprof/line.hpp"

#include <algorithm>
#include <cstring>

#include "core/trace/infer/fail.hpp"
#include "core/trace/liballprof/grammar.hpp"
#include "core/trace/number.hpp"
#include "core/trace/quote.hpp"

namespace latitude::trace::liballprof {
namespace {

using infer::CommField;
using infer::kRetrace;

const char* read_counts(const char* p, std::vector<std::int32_t>* counts) noexcept {
  std::uint64_t address;
  p = read_unsigned(p, address);
  if (p == nullptr || *p != ':') return nullptr;
  if (counts != nullptr) counts->clear();
  do {
    std::int32_t value;
    p = read_int(p + 1, value);
    if (p == nullptr) return nullptr;
    if (counts != nullptr) counts->push_back(value);
  } while (*p == ',');
  return p;
}

const char* read_datatype(const char* p, std::int64_t& size) noexcept {
  std::uint64_t code;
  p = read_handle(p, code);
  if (p == nullptr || *p != ',') return nullptr;
  std::int32_t bytes;
  p = read_int(p + 1, bytes);
  if (p == nullptr || *p != ',') return nullptr;
  size = bytes;
  std::uint64_t extent;  // Fortran traces have 64 bits here, of which only 32 were ever set
  return read_handle(p + 1, extent);
}

const char* read_comm(const char* p, CommField& comm) noexcept {
  p = read_handle(p, comm.handle);
  if (p == nullptr || *p != ',') return nullptr;
  p = read_int(p + 1, comm.rank);
  if (p == nullptr || *p != ',') return nullptr;
  return read_int(p + 1, comm.size);
}

/// Number of arguments of each kind so far.
struct Seen {
  std::uint8_t count = 0, type = 0, peer = 0, tag = 0, integer = 0, comm = 0, counts = 0;
};

const char* read_field(const char* p, char letter, Record& record, Seen& seen) noexcept {
  std::uint64_t ignored;
  std::int32_t number = 0;
  switch (letter) {
    case 'a':
      return read_unsigned(p, ignored);
    case 'b':
      return read_unsigned(p, record.send_buffer);
    case 'x':
      return read_unsigned(p, record.comm_variable);
    case 'r':
      return read_unsigned(p, record.request);
    case 'm':
      return read_int(p, record.request_count);
    case 'n':
      return read_int(p, record.count[seen.count++]);
    case 'd':  // calls with three types are one-sided: the third is only checked
      p = read_datatype(p, record.type_size[seen.type]);
      seen.type = 1;
      return p;
    case 'p':
      return read_int(p, record.peer[seen.peer++]);
    case 't':
      return read_int(p, record.tag[seen.tag++]);
    case 'c':
      return read_comm(p, record.comm[seen.comm++]);
    case 'o':
      return read_handle(p, record.op);
    case 'v':
      return read_counts(p, &record.counts[seen.counts++]);
    case 'w':
      return read_counts(p, nullptr);
    case 'k':
      p = read_int(p, number);
      record.integer[seen.integer++ & 1] = number;
      return p;
    default:
      return read_handle(p, ignored);  // 'i', 'h'
  }
}

const char* read_time_or_dash(const char* p, std::int64_t& ns) noexcept {
  if (*p != '-') return read_time(p, ns);
  ns = kNoTime;
  return p + 1;
}

std::string_view meaning(char letter) {
  switch (letter) {
    case 'b':
      return "send buffer (address)";
    case 'x':
      return "address of a communicator";
    case 'r':
      return "address of a request";
    case 'm':
      return "number of requests";
    case 'n':
      return "count";
    case 'd':
      return "datatype (code,size,extent)";
    case 'p':
      return "peer";
    case 't':
      return "tag";
    case 'c':
      return "communicator (handle,rank,size)";
    case 'o':
      return "operation";
    case 'v':
    case 'w':
      return "address:count,count,…";
    case 'k':
    case 'i':
      return "integer";
    case 'h':
      return "handle";
    default:
      return "address";
  }
}

}  // namespace

bool parse_line(const char* begin, const char* end, Record& record) noexcept {
  const auto* const colon =
      static_cast<const char*>(std::memchr(begin, ':', static_cast<std::size_t>(end - begin)));
  if (colon == nullptr) return false;
  record.syntax = find_call({begin, static_cast<std::size_t>(colon - begin)});
  if (record.syntax == nullptr) return false;
  const char* p = read_time_or_dash(colon + 1, record.enter_ns);
  if (p == nullptr) return false;
  Seen seen;
  for (char letter : record.syntax->fields) {
    if (*p != ':') return false;
    p = read_field(p + 1, letter, record, seen);
    if (p == nullptr) return false;
  }
  record.comms = seen.comm;
  if (*p != ':') return false;
  p = read_time_or_dash(p + 1, record.leave_ns);
  return p == end;
}

std::string explain_line(std::string_view line) {
  const std::string terminated(line);  // the readers need a byte after the line
  const std::string_view name = line.substr(0, line.find(':'));
  if (name.size() == line.size()) {
    return quote(line) + " is not a record (MPI_Name:enter:…:leave); is this a trace?";
  }
  const CallSyntax* const syntax = find_call(name);
  if (syntax == nullptr) {
    return quote(name) + " is no call that liballprof writes; " + kRetrace;
  }
  std::size_t expected = 3;
  for (char letter : syntax->fields) expected += letter == 'v' || letter == 'w' ? 2 : 1;
  const auto fields = static_cast<std::size_t>(std::count(line.begin(), line.end(), ':')) + 1;
  const std::string who = std::string(name) + " ";
  if (line.find(":0x") != std::string_view::npos || line.find("# backtrace") != line.npos) {
    return who + "is written as liballprof 2 does, which leaves out sizes and communicators; " +
           kRetrace;
  }
  if (fields != expected) {
    return who + "has " + std::to_string(fields) + " fields instead of " +
           std::to_string(expected) + "; the file is damaged, " + kRetrace;
  }
  Record record;
  Seen seen;
  const char* begin = terminated.data() + name.size() + 1;
  const char* p = read_time_or_dash(begin, record.enter_ns);
  std::string_view what = "time (µs)";
  std::size_t index = 2;
  for (std::size_t i = 0; p != nullptr && *p == ':' && i < syntax->fields.size(); ++i, ++index) {
    begin = p + 1;
    what = meaning(syntax->fields[i]);
    p = read_field(begin, syntax->fields[i], record, seen);
  }
  if (p != nullptr && *p == ':' && index == 2 + syntax->fields.size()) {
    begin = p + 1;
    what = "time (µs)";
    ++index;
  }
  const std::string_view rest(begin);
  return who + "has " + quote(rest.substr(0, rest.find(':'))) + " in field " +
         std::to_string(index) + " (" + std::string(what) + "); the file is damaged, " + kRetrace;
}

}  // namespace latitude::trace::liballprof
