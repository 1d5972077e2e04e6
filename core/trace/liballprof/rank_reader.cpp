#include "core/trace/liballprof/rank_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/trace/infer/arguments.hpp"
#include "core/trace/infer/fail.hpp"
#include "core/trace/liballprof/grammar.hpp"
#include "core/trace/liballprof/line.hpp"

namespace latitude::trace::liballprof {
namespace {

using infer::kNothing;
using infer::kRetrace;

/// Handles are pointers in C under Open MPI; elsewhere they are ints, maybe sign-extended.
bool is_pointer(std::uint64_t handle) {
  return handle > std::numeric_limits<std::uint32_t>::max() &&
         handle <= std::numeric_limits<std::int64_t>::max();
}

/// liballprof prints 1 to 12 for the predefined operations, and the handle of any other.
constexpr std::uint64_t kLastPredefinedOp = 12;

/// MPI_IN_PLACE is the address 1 under Open MPI, and −1 under MPICH. In Fortran it is a variable
/// that cannot be recognised, so only Alltoallv depends on it.
bool is_in_place(std::uint64_t send_buffer) {
  return send_buffer == 1 || send_buffer == std::numeric_limits<std::uint64_t>::max();
}

bool takes_array(Call call) {
  switch (call) {
    case Call::Startall:
    case Call::Waitall:
    case Call::Waitany:
    case Call::Waitsome:
    case Call::Testall:
    case Call::Testany:
    case Call::Testsome:
      return true;
    default:
      return false;
  }
}

}  // namespace

RankReader::RankReader(std::string source) : counts_(call_syntax_count()) {
  log_.trace.source = std::move(source);
}

void RankReader::fail(const CallSyntax* syntax, std::string_view text) const {
  const std::string who = syntax == nullptr ? "" : std::string(syntax->name) + " ";
  infer::fail(log_.trace.source, line_, who + std::string(text));
}

void RankReader::expect(std::uint64_t bytes) {
  // Records take 45 to 90 bytes. Unused reserved memory costs only addresses.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  log_.trace.events.reserve(std::min(bytes / 64, kMost));
}

void RankReader::feed(std::string_view bytes) {
  if (!lines_.feed(bytes, [this](const char* begin, const char* end) { line(begin, end); })) {
    ++line_;
    fail(nullptr, "is longer than 16 MiB; this is not a liballprof text trace");
  }
}

void RankReader::finish() {
  const std::string& rest = lines_.rest();
  if (!rest.empty()) {
    const char* const end = rest.data() + rest.size();
    if (rest[0] != '#' && rest != "\r" && !parse_line(rest.data(), end, record_)) {
      ++line_;
      fail(nullptr, std::string("truncated: the last record is incomplete; copy the file again "
                                "or ") +
                        kRetrace);
    }
    line(rest.data(), end);
  }
  if (phase_ != Phase::finalized) {
    fail(nullptr, std::string(log_.trace.event_count == 0 ? "is empty: " : "truncated: ") +
                      "no MPI_Finalize; copy the file again, or let the program end "
                      "when you trace it");
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) log_.trace.call_counts.emplace_back(call_syntax(i).name, counts_[i]);
  }
}

void RankReader::line(const char* begin, const char* end) {
  ++line_;
  if (end != begin && end[-1] == '\r') --end;
  if (begin == end || *begin == '#') return;
  if (!parse_line(begin, end, record_)) {
    fail(nullptr, explain_line({begin, static_cast<std::size_t>(end - begin)}));
  }
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max() - 1;
  if (line_ > kMost) fail(nullptr, "is one line too many for 32-bit indices; trace a shorter run");
  record_.in_place = is_in_place(record_.send_buffer);
  record_.user_op = record_.op == 0 || record_.op > kLastPredefinedOp;
  record_.rank = record_.comm[0].rank;
  record_.size = record_.comm[0].size;
  ++counts_[record_.syntax->index];
  ++log_.trace.event_count;
  times(record_);
  event(record_);
}

void RankReader::times(const Record& record) {
  const CallSyntax& syntax = *record.syntax;
  const bool init = syntax.call_class == CallClass::init;
  const bool final = syntax.call_class == CallClass::finalize;
  const bool local = syntax.call_class == CallClass::local;
  if (phase_ == Phase::before_init && !init && !local) {
    fail(&syntax,
         std::string("comes before MPI_Init: the beginning of the file is missing; ") + kRetrace);
  }
  if (init && phase_ != Phase::before_init) fail(&syntax, "comes twice; one file holds one run");
  if (phase_ == Phase::finalized && !local) {
    fail(&syntax, "comes after MPI_Finalize; one file holds one run");
  }
  const bool dashes = syntax.name == "MPI_Initialized";
  if ((record.enter_ns == kNoTime && !init && !dashes) ||
      (record.leave_ns == kNoTime && !final && !dashes)) {
    fail(&syntax,
         std::string("has no time where it must have one; the file is damaged, ") + kRetrace);
  }
  if (init) {
    now_ns_ = record.leave_ns;
    phase_ = Phase::running;
    return;
  }
  if (phase_ != Phase::running || record.enter_ns == kNoTime) return;
  if (record.enter_ns < now_ns_ || (!final && record.leave_ns < record.enter_ns)) {
    fail(&syntax, std::string("begins before the call before it has ended, or ends before it "
                              "begins: time must not run backwards; ") +
                      kRetrace);
  }
  if (final) {
    // liballprof synchronises its clocks before it records the time of MPI_Finalize; that is not
    // computation.
    log_.trace.final_gap_left_out_ns = record.enter_ns - now_ns_;
    phase_ = Phase::finalized;
    return;
  }
  now_ns_ = record.leave_ns;
}

void RankReader::event(const Record& record) {
  const CallSyntax& syntax = *record.syntax;
  const auto number = static_cast<std::uint32_t>(line_);
  const bool communicates = infer::names_communicator(syntax.call_class);
  Event event;
  event.comm = kNothing;
  if (record.comms > 0) {
    event.comm = log_.comms.use(record.comm[0], number, communicates);
    if (record.comms > 1) log_.comms.use(record.comm[1], number, false);
    if (event.comm == kNothing && communicates) {
      fail(&syntax,
           std::string("is given no valid communicator; the file is damaged, ") + kRetrace);
    }
    if (syntax.makes_comm && event.comm != kNothing) {
      log_.comms.create({syntax.call, number, event.comm, record.integer[0], record.integer[1],
                         record.comm_variable});
    }
  }
  if (syntax.call_class == CallClass::local) return;
  event.enter_ns = syntax.call_class == CallClass::init ? record.leave_ns : record.enter_ns;
  event.leave_ns = record.leave_ns;
  if (syntax.call_class == CallClass::finalize) event.enter_ns = event.leave_ns = now_ns_;
  event.position = number;
  event.call = syntax.call;
  if (syntax.call_class == CallClass::unsupported) event.flags = kUnsupported;
  if (!communicates) event.comm = kNothing;
  try {
    infer::set_arguments(syntax.call_class, record, event, log_.trace);
  } catch (const infer::Refused& refused) {
    fail(&syntax, refused.why);
  }
  requests(record, event);
  if (syntax.call == Call::Comm_free || syntax.call == Call::Comm_disconnect) {
    log_.comms.free(record.comm_variable, number,
                    static_cast<std::uint32_t>(log_.trace.events.size()));
  }
  log_.trace.events.push_back(event);
}

void RankReader::requests(const Record& record, Event& event) {
  switch (record.syntax->call_class) {
    case CallClass::isend:
    case CallClass::irecv:
    case CallClass::persistent:
    case CallClass::icollective:
      event.args = log_.requests.post(record.request, is_pointer(record.comm[0].handle));
      return;
    case CallClass::start:
    case CallClass::request_free:
    case CallClass::completion:
      if (takes_array(event.call)) {
        log_.requests.array_call(record.request, record.request_count);
      } else {
        event.args = log_.requests.ids.find(record.request);
      }
      return;
    default:
      return;
  }
}

}  // namespace latitude::trace::liballprof
