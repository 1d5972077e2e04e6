#include "core/trace/native/event_reader.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "core/trace/event_args.hpp"
#include "core/trace/native/receive.hpp"
#include "core/trace/native/shapes.hpp"
#include "core/trace/polls.hpp"

namespace latitude::trace::native {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 56;  // leaves room for sums
constexpr std::uint64_t kUnrecordedNumber = 0;  // number of a request that no call recorded
constexpr std::uint64_t kMostRecords = std::numeric_limits<std::uint32_t>::max() - 1;

}  // namespace

EventReader::EventReader(const Source& source, const Header& header, Tables& tables, RankLog& log,
                         bool keep_order)
    : source_(source),
      tables_(tables),
      log_(log),
      carries_cpu_((header.flags & kCarriesCpu) != 0),
      keep_order_(keep_order) {}

void EventReader::fail(const std::string& text) const {
  source_.fail(event_offset_, (current_ == nullptr ? "event" : current_->name) + " (record " +
                                  std::to_string(records_) + ") " + text +
                                  "; the file is damaged, copy it or trace the program again");
}

void EventReader::read(Cursor& in, const Chunk& chunk) {
  begin(chunk);
  for (std::uint32_t i = 0; i < chunk.records; ++i) next(in);
}

void EventReader::begin(const Chunk& chunk) {
  if (chunk.thread >= clocks_.size()) clocks_.resize(chunk.thread + std::size_t{1});
  ThreadClock& clock = clocks_[chunk.thread];
  if (chunk.time_ns > kMostTime) source_.fail(chunk.offset + 16, "a chunk has an invalid time");
  if (!clock.started) {
    clock.started = true;
    clock.adjusted_ns = static_cast<std::int64_t>(chunk.time_ns);
  } else if (chunk.time_ns < clock.now_ns) {
    source_.fail(chunk.offset + 16,
                 "a chunk begins before its thread's last call has ended; the clock ran backwards, "
                 "trace the program again");
  }
  if (first_thread_ == chunk.thread) {
    log_.trace.wall->tracer_ns += static_cast<std::int64_t>(chunk.time_ns - clock.now_ns);
  }
  clock.now_ns = chunk.time_ns;
  last_request_ = 0;
  thread_ = chunk.thread;
  if (log_.runs.empty() || log_.runs.back().thread != chunk.thread) {
    log_.runs.push_back({log_.trace.events.size(), chunk.thread});
  }
}

std::uint64_t EventReader::span(Cursor& in) const {
  const std::uint64_t ns = in.varint();
  if (ns > kMostTime) fail("lasts longer than 36 years");
  return ns;
}

void EventReader::event(Cursor& in, ThreadClock& clock) {
  event_offset_ = in.offset();
  current_ = nullptr;
  if (++records_ > kMostRecords) fail("is one event too many for 32-bit indices");
  const std::uint64_t number = in.varint();
  if (number >= tables_.calls().size()) {
    fail("is call " + std::to_string(number) + " of " + std::to_string(tables_.calls().size()));
  }
  CallEntry& call = tables_.calls()[number];
  current_ = &call;
  const std::uint64_t gap = span(in);
  const std::uint64_t duration = span(in);
  std::uint64_t computed = gap;
  if (carries_cpu_) {
    const std::uint64_t cpu = span(in);
    if (log_.cpu_clock) computed = cpu;
  }
  const std::uint64_t site = in.varint();
  if (site > tables_.sites()) {
    fail("is called from site " + std::to_string(site) + " of " + std::to_string(tables_.sites()));
  }
  fields(in, call);

  const std::uint64_t entered = clock.now_ns + gap;
  clock.now_ns = entered + duration;
  if (clock.now_ns > kMostTime || computed > kMostTime - clock.gap_ns) {
    fail("lasts longer than 36 years");
  }
  clock.gap_ns += computed;
  if (call.absence) absence(clock, gap);
  if (call.pause) return account(call, entered, clock.now_ns, 0, duration);
  if (call.polls) return polls(call, clock, entered);
  ++call.seen;
  if (call.call == Call::count_) {
    throw InputError(source_.name() + ": byte " + std::to_string(event_offset_) + ": " + call.name +
                     " is a call this latitude does not know; use the one that traced the program");
  }
  if (call.call_class == CallClass::local) {
    clock.gap_ns += duration;
    return drop_args();
  }
  Event event = begun(call, clock, entered);
  event.call = call.call;
  event.comm = at_.comm;
  event.flags = at_.unrecorded ? kUnrecorded : 0;
  convert(call, event);
  add(event, site == 0 ? kNoSite : static_cast<std::uint32_t>(site - 1),
      call.call_class == CallClass::completion ? clock.now_ns : entered);
}

/// Begins an event of a call that has just been read: the gap before it has ended.
Event EventReader::begun(const CallEntry& call, ThreadClock& clock, std::uint64_t entered) {
  // Between two calls the tracer works once, whatever it writes about the gap.
  const auto null_ns = [&](std::int64_t ns) {
    return clock.null_gap_left_out ? 0 : static_cast<std::uint64_t>(ns);
  };
  const std::uint64_t null_gap =
      null_ns(log_.cpu_clock ? log_.meta.null_cpu_gap_ns : log_.meta.null_gap_ns);
  const std::uint64_t own = clock.gap_ns - std::min(clock.gap_ns, null_gap);
  const std::uint64_t tracer = log_.cpu_clock ? null_ns(log_.meta.null_gap_ns) : clock.gap_ns - own;
  account(call, entered, clock.now_ns, own, tracer);
  Event event;
  event.enter_ns = log_.as_recorded ? static_cast<std::int64_t>(entered)
                                    : clock.adjusted_ns + static_cast<std::int64_t>(own);
  event.leave_ns = event.enter_ns + static_cast<std::int64_t>(clock.now_ns - entered);
  event.position = static_cast<std::uint32_t>(records_);
  clock.adjusted_ns = event.leave_ns;
  clock.gap_ns = 0;
  clock.null_gap_left_out = call.polls;
  return event;
}

void EventReader::add(const Event& event, std::uint32_t site, std::uint64_t order) {
  log_.trace.events.push_back(event);
  log_.trace.sites.push_back(site);
  if (keep_order_) log_.order.push_back(order);
}

/// Reads polls that have failed since the last call; the first of them ends now.
void EventReader::polls(const CallEntry& call, ThreadClock& clock, std::uint64_t entered) {
  const std::uint64_t failed = at_.polls / 2;
  if (failed == 0 || failed > kMostRecords || clock.now_ns != entered) {
    fail("is not a valid number of failed polls");
  }
  Event event = begun(call, clock, entered);
  set_polls(event, {failed, log_.poll_ns, at_.polls % 2 == 1});
  add(event, kNoSite, entered);
}

/// Reads that the thread had no core for a part of the gap: waiting for a core is not computation,
/// but sleeping is.
void EventReader::absence(ThreadClock& clock, std::uint64_t gap_ns) {
  if (at_.away_ns > gap_ns || at_.waited > at_.away_ns + 1) {
    fail("is longer than the gap that it is in");
  }
  if (!log_.without_waits || at_.waited == 0) return;
  const std::uint64_t waited = at_.waited - 1;
  if (log_.cpu_clock) {
    clock.gap_ns += at_.away_ns - waited;
  } else {
    const std::uint64_t left_out = std::min(clock.gap_ns, waited);
    clock.gap_ns -= left_out;
    log_.left_out_ns += static_cast<std::int64_t>(left_out);
  }
}

/// Adds to the wall time of the first thread by activity, for a call that is an event, or a pause.
void EventReader::account(const CallEntry& call, std::uint64_t entered, std::uint64_t left,
                          std::uint64_t computed_ns, std::uint64_t tracer_ns) {
  std::optional<WallTimes>& wall = log_.trace.wall;
  const auto leave = static_cast<std::int64_t>(left);
  if (!call.pause && call.call_class == CallClass::init) {
    first_thread_ = thread_;
    wall = {.begin_ns = leave, .end_ns = leave};
    return;
  }
  if (!first_thread_ || thread_ != *first_thread_) return;
  wall->tracer_ns += static_cast<std::int64_t>(tracer_ns);
  if (call.pause) return;
  const auto enter = static_cast<std::int64_t>(entered);
  const bool ends = call.call_class == CallClass::finalize;
  wall->end_ns = ends ? enter : leave;
  wall->computing_ns += static_cast<std::int64_t>(computed_ns);
  if (!ends) wall->calls_ns += leave - enter;
}

void EventReader::fields(Cursor& in, const CallEntry& call) {
  std::size_t peers = 0;
  std::size_t tags = 0;
  std::size_t sizes = 0;
  at_ = {};
  at_.args = log_.trace.args.size();
  if (at_.args >= kNoArgs) fail("is one call too many for 32-bit indices");
  for (const char letter : call.shape) {
    switch (letter) {
      case 'c':
        at_.comm = communicator(in);
        break;
      case 'p':
        at_.peer[peers++ & 1] = in.zigzag();
        break;
      case 't':
        at_.tag[tags++ & 1] = in.zigzag();
        break;
      case 'b':
        at_.bytes[sizes++ & 1] = in.varint();
        break;
      case 'e':
        at_.element = in.varint();
        break;
      case 'f':
        at_.flags = in.varint();
        break;
      case 'q':
        at_.request = request(in);
        break;
      case 's':
        at_.received_bytes = status(in, at_.status);
        break;
      case 'Q':
        completed(in);
        break;
      case 'R':
        requests(in);
        break;
      case 'L':
        list(in);
        break;
      case 'n':
        at_.polls = in.varint();
        break;
      case 'w':
        at_.away_ns = in.varint();
        at_.waited = in.varint();
        break;
      default: {  // N
        at_.made = in.varint();
        if (at_.made != 0 && tables_.comm(at_.made - 1) == Tables::kNoComm) {
          fail("makes communicator " + std::to_string(at_.made - 1) +
               ", which nothing before it describes");
        }
      }
    }
  }
}

std::uint32_t EventReader::communicator(Cursor& in) const {
  const std::uint64_t number = in.varint();
  if (number == 0) return 0;
  const std::uint32_t comm = tables_.comm(number);
  if (comm == Tables::kNoComm) {
    fail("names communicator " + std::to_string(number) + ", which nothing before it describes");
  }
  return comm;
}

std::uint64_t EventReader::request(Cursor& in) {
  last_request_ += static_cast<std::uint64_t>(in.zigzag());
  return last_request_;
}

std::uint64_t EventReader::status(Cursor& in, Received& to) const {
  const std::uint64_t how = in.varint();
  if (how > 2) fail("has a status of unknown form " + std::to_string(how));
  to.how = static_cast<Received::How>(how);
  if (to.how != Received::How::reported) return 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t source = in.zigzag();
  const std::int64_t tag = in.zigzag();
  if (source < kProcNull || source > kMost || tag < kAnyTag || tag > kMost) {
    fail("received from rank " + std::to_string(source) + " with tag " + std::to_string(tag));
  }
  to.source = static_cast<std::int32_t>(source);
  to.tag = static_cast<std::int32_t>(tag);
  return in.varint();
}

void EventReader::completed(Cursor& in) {
  std::vector<std::int64_t>& args = log_.trace.args;
  const std::uint64_t count = in.varint();
  if (count > in.left()) fail("completes more requests than its chunk has room for");
  begin_requests();
  for (std::uint64_t i = 0; i < count; ++i) {
    Received received;
    received.at = static_cast<std::uint32_t>(std::min<std::size_t>(args.size(), kNoArgs));
    const bool recorded = named_request(in);
    status(in, received);
    if (recorded && received.how != Received::How::as_asked) log_.received.push_back(received);
  }
}

void EventReader::requests(Cursor& in) {
  const std::uint64_t count = in.varint();
  if (count > in.left()) fail("names more requests than its chunk has room for");
  begin_requests();
  for (std::uint64_t i = 0; i < count; ++i) named_request(in);
}

/// Begins the list {count, numbers}, without any numbers.
void EventReader::begin_requests() {
  at_.lists = true;
  log_.trace.args.push_back(0);
}

/// Adds a request to those of the event; false if no recorded call has made it.
bool EventReader::named_request(Cursor& in) {
  const std::uint64_t number = request(in);
  at_.unrecorded |= number == kUnrecordedNumber;
  if (number == kUnrecordedNumber) return false;
  log_.trace.args.push_back(static_cast<std::int64_t>(number));
  ++log_.trace.args[at_.args];
  return true;
}

void EventReader::list(Cursor& in) {
  const std::uint64_t count = in.varint();
  if (count > in.left()) fail("has a list that its chunk has no room for");
  at_.lists = count > 0;
  for (std::uint64_t i = 0; i < count; ++i) log_.trace.args.push_back(in.zigzag());
}

/// Drops the values that the lists of an event left in RankTrace::args, if the event needs none.
void EventReader::drop_args() {
  log_.trace.args.resize(at_.args);
  while (!log_.received.empty() && log_.received.back().at >= at_.args) log_.received.pop_back();
}

void EventReader::convert(const CallEntry& call, Event& event) {
  const LocalComm& comm = log_.comms[at_.comm];
  if (at_.lists) event.args = static_cast<std::uint32_t>(at_.args);
  const bool makes_odd_one = call.call_class == CallClass::comm_create && at_.made != 0 &&
                             log_.comms[tables_.comm(at_.made - 1)].kind != CommKind::intra;
  if (comm.kind != CommKind::intra || makes_odd_one) {
    event.flags |= kUnsupported;
    event.comm = 0;
    event.args = kNoArgs;
    drop_args();
    if (call.shape.find('q') != std::string::npos) made_request(event);
    return;
  }
  switch (call.call_class) {
    case CallClass::send:
      return point_to_point(call, event, false);
    case CallClass::recv:
      point_to_point(call, event, true);
      return set_message(event, received(message_of(event)));
    case CallClass::isend:
    case CallClass::irecv:
    case CallClass::persistent:
    case CallClass::partitioned:
      point_to_point(call, event, receives(call.call));
      return made_request(event);
    case CallClass::sendrecv:
      return sendrecv(event);
    case CallClass::isendrecv:
      set_message(event, message(0, false));
      set_received(log_.trace, event, message(1, true));
      return made_request(event);
    case CallClass::collective:
      return collective(call, event);
    case CallClass::icollective:
    case CallClass::collective_init:
      collective(call, event);
      return made_request(event);
    case CallClass::comm_create:
      return set_communicator_made(
          log_.trace, event,
          at_.made == 0 ? kCommNull : static_cast<std::int64_t>(tables_.comm(at_.made - 1)));
    case CallClass::unsupported:
      event.args = kNoArgs;
      return drop_args();
    default:
      return;
  }
}

Message EventReader::message(std::size_t half, bool receives) const {
  Message message;
  message.peer = peer(at_.peer[half], receives);
  message.tag = tag(at_.tag[half], message.peer, receives);
  message.bytes = bytes(at_.bytes[half]);
  return message;
}

void EventReader::point_to_point(const CallEntry& call, Event& event, bool receives) const {
  Message posted = message(0, receives);
  if (call.call == Call::Mprobe || call.call == Call::Improbe) {
    posted.bytes = std::max(posted.bytes, bytes(at_.received_bytes));
  }
  set_message(event, posted);
}

void EventReader::sendrecv(Event& event) {
  set_message(event, message(0, false));
  set_received(log_.trace, event, received(message(1, true)));
}

/// `message` with the values of the call's status.
Message EventReader::received(Message message) {
  const auto size = static_cast<std::int32_t>(log_.comms[at_.comm].group.size);
  const Settled settled = settle(at_.status, size, message);
  if (settled == Settled::contradicts) fail("received a message for which it had not asked");
  if (settled == Settled::resolved) ++log_.wildcards;
  return message;
}

void EventReader::collective(const CallEntry& call, Event& event) {
  const auto size = static_cast<std::int64_t>(log_.comms[at_.comm].group.size);
  event.bytes = bytes(at_.bytes[0]);
  set_element(event, at_.element);
  if (at_.flags > (kUserOp | kInPlace)) fail("has unknown flags " + std::to_string(at_.flags));
  event.flags |= static_cast<std::uint16_t>(at_.flags);
  if (has_root(call.call)) {
    if (at_.peer[0] < 0 || at_.peer[0] >= size) {
      fail("has root " + std::to_string(at_.peer[0]) + " of " + std::to_string(size) + " ranks");
    }
    set_root(event, static_cast<std::int32_t>(at_.peer[0]));
  }
  if (list_layout(call.call) != ListLayout::none) check_list(event, size);
}

void EventReader::check_list(const Event& event, std::int64_t size) const {
  const std::span values = std::span(std::as_const(log_.trace.args)).subspan(at_.args);
  if (lists_at_root(event.call) && root_of(event) != log_.comms[at_.comm].rank) {
    if (!values.empty()) fail("has counts where it is not the root");
    return;
  }
  const std::string fault =
      fault_in_lists(event.call, values, static_cast<std::size_t>(size), kMostBytes);
  if (!fault.empty()) fail(fault);
}

/// Adds the request that an event makes. Until the order of all threads is known, the event keeps
/// the request's number.
void EventReader::made_request(Event& event) {
  if (log_.requests.size() >= kNoArgs) fail("is one request too many for 32-bit indices");
  const std::uint32_t values = event.args;
  event.args = static_cast<std::uint32_t>(log_.requests.size());
  log_.requests.push_back(at_.request);
  log_.requests.push_back(values);
}

std::int32_t EventReader::peer(std::int64_t value, bool receives) const {
  const auto size = static_cast<std::int64_t>(log_.comms[at_.comm].group.size);
  const bool known =
      (value >= 0 && value < size) || value == kProcNull || (receives && value == kAnySource);
  if (!known) fail("has peer " + std::to_string(value) + " of " + std::to_string(size) + " ranks");
  return static_cast<std::int32_t>(value);
}

std::int32_t EventReader::tag(std::int64_t value, std::int32_t peer, bool receives) const {
  const bool known = value >= 0 || (value == kAnyTag && (receives || peer == kProcNull));
  if (!known || value > std::numeric_limits<std::int32_t>::max()) {
    fail("has tag " + std::to_string(value));
  }
  return static_cast<std::int32_t>(value);
}

std::uint64_t EventReader::bytes(std::uint64_t value) const {
  if (value > kMostBytes) fail("moves " + std::to_string(value) + " bytes");
  return value;
}

}  // namespace latitude::trace::native
