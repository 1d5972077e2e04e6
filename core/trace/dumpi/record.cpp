#include "core/trace/dumpi/record.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"

namespace latitude::trace::dumpi {
namespace {

struct Row {
  std::string_view name;
  std::string_view fields;
};

constexpr auto kRows = std::to_array<Row>({
#define DUMPI_CALL(name, fields) {"MPI_" #name, fields},
#include "core/trace/dumpi/calls.def"
#undef DUMPI_CALL
});

// Numbers that follow the numbers of the calls.
constexpr std::uint16_t kFunctionEntered = kRows.size() + 1;
constexpr std::uint16_t kFunctionLeft = kRows.size() + 2;
constexpr std::uint16_t kEndOfStream = kRows.size() + 3;

// The mask of a record: its parts in addition to the fields.
constexpr std::uint8_t kStatuses = 3;
constexpr std::uint8_t kCpuTime = 1 << 2;
constexpr std::uint8_t kWallTime = 1 << 3;
constexpr std::uint8_t kThread = 1 << 6;
constexpr std::uint8_t kCounters = 1 << 7;

constexpr std::uint64_t kMagic = 0xffaadd44554d5049;  // ÿªÝDUMPI
constexpr std::uint64_t kFooterMagic = 0xf007fee7;
constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kIndexBytes = 8 * kWord;
constexpr std::size_t kStatusBytes = 14;

// The capacity of Record, on which reader code relies.
constexpr bool fits(std::string_view fields) {
  for (const auto& [letter, most] : {std::pair{'n', 2},
                                     {'d', 2},
                                     {'p', 2},
                                     {'t', 2},
                                     {'k', 2},
                                     {'c', 2},
                                     {'g', 3},
                                     {'v', 4},
                                     {'D', 2},
                                     {'r', 1},
                                     {'R', 1},
                                     {'s', 1}}) {
    if (std::ranges::count(fields, letter) > most) return false;
  }
  return fields.find_first_not_of("ndptcogrkmRvVDsiqhblaAQBH|/?") == std::string_view::npos;
}
static_assert(std::ranges::all_of(kRows, [](const Row& row) { return fits(row.fields); }));

const std::array<CallLayout, kRows.size()> kLayouts = [] {
  std::array<CallLayout, kRows.size()> layouts{};
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    const Call call = call_named(kRows[i].name);
    layouts[i] = {kRows[i].name, kRows[i].fields, call,
                  call == Call::count_ ? CallClass::local : class_of(call)};
  }
  return layouts;
}();

/// Number of fields of each kind so far.
struct Seen {
  std::uint8_t n = 0, d = 0, p = 0, t = 0, k = 0, c = 0, g = 0, v = 0, D = 0;
};

}  // namespace

std::span<const CallLayout> call_layouts() noexcept { return kLayouts; }

void Input::fail(const std::string& text) const {
  source_.fail(offset(), text + "; the file is damaged, copy it again or trace the program again");
}

void Input::refill(std::size_t bytes) {
  if (left() < bytes) fail("the file, or this part of it, ends in the middle of a record");
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  next_ = offset();
  const std::uint64_t size = std::min(kMost, end_ - next_);
  window_ = source_.read(next_, static_cast<std::size_t>(size));
  next_ += size;
  at_ = 0;
}

void Input::skip(std::uint64_t bytes) {
  if (left() < bytes) fail("the file, or this part of it, ends in the middle of a record");
  if (window_.size() - at_ >= bytes) {
    at_ += static_cast<std::size_t>(bytes);
    return;
  }
  next_ = offset() + bytes;
  window_ = {};
  at_ = 0;
}

std::uint32_t Input::count_of(std::size_t bytes_each) {
  const std::uint32_t count = u32();
  if (count > left() / bytes_each) {
    fail("a list of " + std::to_string(count) + " does not fit into the file");
  }
  return count;
}

Index read_index(Source& source) {
  if (source.size() < kWord + kIndexBytes) {
    source.fail(source.size(),
                "too short for a DUMPI file: it was not copied whole, or the run was killed");
  }
  Input input(source, source.size() - kIndexBytes, source.size());
  if (Input(source, 0, kWord).u64() != kMagic) {
    source.fail(0, "does not begin as a DUMPI file; give the files that DUMPI wrote");
  }
  if (input.u64() != kMagic) {
    source.fail(source.size() - kIndexBytes,
                "no index at the end: the file is truncated, or the run was killed or is of a "
                "DUMPI before 0.6.9; copy it again, or let the program end when you trace it");
  }
  Index index{};
  index.sizes = input.u64();
  input.skip(2 * kWord);  // names of functions and of counters
  index.header = input.u64();
  index.body = input.u64();
  index.footer = input.u64();
  const std::uint64_t end = source.size() - kIndexBytes;
  if (index.body < kWord || index.body >= index.header || index.header >= index.footer ||
      index.footer >= end || index.sizes >= end) {
    source.fail(end, "the index names places that are not in this file; copy it again");
  }
  Input header(source, index.header, end);
  std::uint32_t version = 0;
  for (int part = 0; part < 3; ++part) version = version << 8 | header.u8();
  constexpr std::uint32_t kOldest = 0x000609;
  if (version < kOldest) {
    source.fail(index.header,
                "written by a DUMPI before 0.6.9, whose records are others; trace "
                "the program again");
  }
  return index;
}

RecordReader::RecordReader(Source& source, const Index& index)
    : input_(source, index.body, index.header) {
  input_.skip(8);  // the origin of times, which differs between hosts
}

bool RecordReader::next(Record& record) {
  for (;;) {
    begin_ = input_.offset();
    record.number = input_.u16();
    if (record.number == kEndOfStream) return false;
    const bool function = record.number == kFunctionEntered || record.number == kFunctionLeft;
    if (!function && (record.number >= kRows.size() || kRows[record.number].fields == "?")) {
      input_.fail("no call has the number " + std::to_string(record.number));
    }
    const std::uint8_t mask = input_.u8();
    record.thread = (mask & kThread) != 0 ? input_.u16() : std::uint16_t{0};
    times(mask, record);
    if ((mask & kCounters) != 0) input_.skip(std::uint64_t{input_.u8()} * 2 * kWord);
    if (!function) {
      fields(mask, record);
      return true;
    }
    input_.skip(kWord);  // function of the program, or place of an annotation
  }
}

void RecordReader::fields(std::uint8_t mask, Record& record) {
  record.requests.clear();
  record.statuses.clear();
  Seen seen;
  bool here = true;
  for (const char letter : kRows[record.number].fields) {
    if (letter == '|') here = record.own_rank == record.peer[0];
    if (letter == '/') here = true;
    if (!here || letter == '|' || letter == '/') continue;
    switch (letter) {
      case 'n':
        record.count[seen.n++] = input_.i32();
        break;
      case 'd':
        record.type[seen.d++] = input_.u16();
        break;
      case 'p':
        record.peer[seen.p++] = input_.i32();
        break;
      case 't':
        record.tag[seen.t++] = input_.i32();
        break;
      case 'k':
        record.integer[seen.k++] = input_.i32();
        break;
      case 'c':
        record.comm[seen.c++] = input_.u16();
        break;
      case 'g':
        record.group[seen.g++] = input_.u16();
        break;
      case 'v':
        list(record.lists[seen.v++]);
        break;
      case 'V': {
        std::vector<std::int32_t>& all = record.lists[seen.v++];
        all.clear();
        for (std::uint32_t i = input_.count_of(4); i > 0; --i) {
          for (std::uint32_t j = input_.count_of(4); j > 0; --j) all.push_back(input_.i32());
        }
        break;
      }
      case 'D': {
        std::vector<std::uint16_t>& types = record.types[seen.D++];
        types.resize(input_.count_of(2));
        for (std::uint16_t& type : types) type = input_.u16();
        break;
      }
      default:
        field(letter, mask, record);
    }
  }
  record.type_count = seen.d;
}

void RecordReader::field(char letter, std::uint8_t mask, Record& record) {
  const auto texts = [&] {
    for (std::uint32_t i = input_.count_of(4); i > 0; --i) input_.skip(input_.count_of(1));
  };
  switch (letter) {
    case 'o':
      record.op = input_.u8();
      return;
    case 'r':
      record.requests.assign(1, input_.i32());
      return;
    case 'R':
      list(record.requests);
      return;
    case 'm':
      record.own_rank = input_.i32();
      return;
    case 's':
      if ((mask & kStatuses) == 0) return;
      record.statuses.resize(input_.count_of(kStatusBytes));
      for (Status& status : record.statuses) {
        status.bytes = input_.i32();
        status.source = input_.i32();
        status.cancelled = input_.u8() != 0;
        input_.skip(1);  // error
        status.tag = input_.i32();
      }
      return;
    case 'b':
      return input_.skip(1);
    case 'h':
      return input_.skip(2);
    case 'l':
      return input_.skip(kWord);
    case 'a':
    case 'B':
      return input_.skip(input_.count_of(1));
    case 'H':
      return input_.skip(std::uint64_t{2} * input_.count_of(2));
    case 'A':
      return texts();
    case 'Q':
      for (std::uint32_t i = input_.count_of(4); i > 0; --i) texts();
      return;
    default:
      return input_.skip(4);  // i, q
  }
}

void RecordReader::list(std::vector<std::int32_t>& values) {
  values.resize(input_.count_of(4));
  for (std::int32_t& value : values) value = input_.i32();
}

void RecordReader::times(std::uint8_t mask, Record& record) {
  if ((mask & (kCpuTime | kWallTime)) == 0) {
    input_.fail("no time was recorded; have DUMPI record the wall clock (timestamp full)");
  }
  constexpr std::uint64_t kTwoInstants = 12;
  by_cpu_time_ = (mask & kWallTime) == 0;
  if ((mask & kCpuTime) != 0 && !by_cpu_time_) input_.skip(kTwoInstants);
  const auto instant = [&] {
    const std::uint16_t seconds = input_.u16();
    const std::uint32_t ns = input_.u32();
    constexpr std::uint32_t kSecond = 1'000'000'000;
    if (ns >= kSecond) input_.fail("a time has " + std::to_string(ns) + " ns beyond its seconds");
    constexpr std::uint16_t kHalf = 1 << 15;
    constexpr std::int64_t kRound = 1 << 16;
    if (seconds_.last > seconds && seconds_.last - seconds > kHalf) seconds_.high += kRound;
    seconds_.last = seconds;
    return (seconds_.high + seconds) * std::int64_t{kSecond} + ns;
  };
  record.enter_ns = instant();
  record.leave_ns = instant();
}

Footer read_footer(Source& source, const Index& index) {
  Input input(source, index.footer, source.size() - kIndexBytes);
  if (input.u64() != kFooterMagic) input.fail("the footer does not begin as one");
  Footer footer;
  for (std::vector<std::uint32_t>* counts : {&footer.made, &footer.ignored}) {
    for (std::size_t i = 0; i < kRows.size(); ++i) counts->push_back(input.u32());
    input.skip(4);  // their sum
  }
  return footer;
}

std::vector<std::int32_t> read_sizes(Source& source, const Index& index) {
  if (index.sizes == 0) return {};
  Input input(source, index.sizes, source.size() - kIndexBytes);
  std::vector<std::int32_t> sizes(input.count_of(4));
  for (std::int32_t& size : sizes) size = input.i32();
  return sizes;
}

}  // namespace latitude::trace::dumpi
