#include "core/trace/paraver/records.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/trace/number.hpp"

namespace latitude::trace::paraver {
namespace {

// Types of events in Extrae's numbering.
constexpr std::uint64_t kFirstCall = 50000001;
constexpr std::uint64_t kLastCall = 50000005;
constexpr std::uint64_t kSent = 50100001;
constexpr std::uint64_t kReceived = 50100002;
constexpr std::uint64_t kRoot = 50100003;
constexpr std::uint64_t kCommunicator = 50100004;
constexpr std::uint64_t kCallers = 70000000;      // plus the level: functions
constexpr std::uint64_t kCallerLines = 80000000;  // plus the level: lines
constexpr std::uint64_t kMostLevels = 100;
constexpr std::uint64_t kFlushing = 40000003;
constexpr std::uint64_t kStateRunning = 1;
constexpr std::uint64_t kStateDisabled = 14;

constexpr std::uint64_t kMostTasks = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 53;

}  // namespace

void RecordReader::fail(const std::string& text) const {
  throw InputError(records_.source + ":" + std::to_string(records_.lines) + ": " + text);
}

void RecordReader::feed(std::string_view bytes) {
  if (!lines_.feed(bytes, [this](const char* begin, const char* end) { line(begin, end); })) {
    ++records_.lines;
    fail("is longer than 16 MiB; this is not a Paraver trace");
  }
}

Records RecordReader::finish() {
  if (!lines_.rest().empty()) {
    ++records_.lines;
    fail("truncated: the last record has no end of line");
  }
  if (records_.tasks.empty()) throw InputError(records_.source + ": is empty: no Paraver header");
  for (RawTask& task : records_.tasks) {
    // A trace that was cut out of a longer one may end within a call, and then lacks the rest of
    // the call.
    if (!task.calls.empty() && task.calls.back().leave_ns == kOpen) task.calls.pop_back();
    // Not every tool that cuts traces changes the length in the header.
    if (!task.calls.empty()) {
      records_.end_ns = std::max(records_.end_ns, task.calls.back().leave_ns);
    }
  }
  if (std::ranges::all_of(records_.tasks, &std::vector<RawCall>::empty, &RawTask::calls)) {
    throw InputError(records_.source +
                     ": holds no calls of MPI; was the program traced with them, or was the part "
                     "that has them cut off?");
  }
  // The file's size bounds the memory of a task. A cut trace may lack some tasks.
  const auto recorded = std::ranges::count(records_.tasks, true, &RawTask::recorded);
  if (2 * static_cast<std::size_t>(recorded) < records_.tasks.size()) {
    throw InputError(records_.source + ": has records of " + std::to_string(recorded) + " of the " +
                     std::to_string(records_.tasks.size()) +
                     " tasks that its header names; copy the whole trace");
  }
  for (std::size_t t = 0; t < writing_.size(); ++t) {
    if (writing_[t].since_ns != kOpen) left_out(t, writing_[t].since_ns, records_.end_ns);
  }
  // Data that other threads exchange, such as copies to accelerators, are not messages of MPI.
  std::erase_if(records_.messages, [this](const RawMessage& message) {
    return records_.tasks[message.source].thread != message.source_thread ||
           records_.tasks[message.destination].thread != message.destination_thread;
  });
  return std::move(records_);
}

void RecordReader::line(const char* p, const char* end) {
  if (++records_.lines == std::numeric_limits<std::uint32_t>::max()) {
    fail("more than 4294967294 lines; cut out a part of the run");
  }
  if (records_.lines == 1) return header({p, end});
  if (p == end || *p == '#' || *p == '\r') return;
  if (p[1] != ':') fail("is not a record of a Paraver trace");
  switch (*p) {
    case '1':
      return state(p + 2);
    case '2':
      return event(p + 2);
    case '3':
      return message(p + 2);
    case 'c':
      return communicator(p + 2);
    default:
      fail("is not a record of a Paraver trace");
  }
}

const char* RecordReader::number(const char* p, std::uint64_t& value) const {
  p = read_unsigned(p, value);
  if (p == nullptr) fail("a number is missing or too large");
  return *p == ':' ? p + 1 : p;
}

const char* RecordReader::time(const char* p, std::int64_t& ns) const {
  std::uint64_t value = 0;
  p = number(p, value);
  if (value > std::numeric_limits<std::int64_t>::max() / 4000) fail("a time is too large");
  ns = static_cast<std::int64_t>(value) * unit_ns_;
  return p;
}

void RecordReader::ends(const char* p) const {
  if (*p != '\n' && *p != '\r') fail("the record has a field that is not a number");
}

/// cpu:application:task:thread
const char* RecordReader::task(const char* p, std::size_t& task, std::uint64_t& thread) {
  std::uint64_t cpu = 0;
  std::uint64_t application = 0;
  std::uint64_t one_based = 0;
  p = number(number(number(number(p, cpu), application), one_based), thread);
  if (application != 1) fail("names application " + std::to_string(application) + " of 1");
  if (one_based == 0 || one_based > records_.tasks.size()) {
    fail("names task " + std::to_string(one_based) + " of " +
         std::to_string(records_.tasks.size()));
  }
  task = static_cast<std::size_t>(one_based - 1);
  records_.tasks[task].recorded = true;
  return p;
}

/// #Paraver (date):length_unit:nodes(cpus,..):applications:tasks(threads:node,..),communicators
void RecordReader::header(std::string_view text) {
  if (!text.starts_with("#Paraver")) fail("is not a Paraver trace: its header is missing");
  const std::size_t date = text.find("):");
  if (date == std::string_view::npos) fail("the header names no date and no length");
  std::uint64_t value = 0;
  const char* p = text.data() + date + 2;
  p = read_unsigned(p, value);
  if (p == nullptr) fail("the header names no length");
  const std::string_view unit(p, text.data() + text.size());
  if (unit.starts_with("_ns")) {
    p += 3;
  } else if (unit.starts_with(':') || unit.starts_with("_us")) {
    unit_ns_ = 1000;
    p += unit.starts_with(':') ? 0 : 3;
  } else {
    fail("the header names a unit of time that is not ns or us");
  }
  time(text.data() + date + 2, records_.end_ns);
  std::uint64_t applications = 0;
  std::uint64_t tasks = 0;
  if (*p == ':') p = read_unsigned(p + 1, value);  // nodes
  if (p != nullptr && *p == '(') {
    p = std::find(p, text.data() + text.size(), ')');
    if (p != text.data() + text.size()) ++p;
  }
  if (p != nullptr && *p == ':') p = read_unsigned(p + 1, applications);
  if (p == nullptr || *p != ':') fail("the header names no applications");
  if (applications != 1) {
    fail("holds " + std::to_string(applications) + " applications; cut out one of them");
  }
  if (read_unsigned(p + 1, tasks) == nullptr || tasks == 0 || tasks > kMostTasks) {
    fail("the header names no tasks, or more than " + std::to_string(kMostTasks));
  }
  constexpr std::uint64_t kLeastNamed = 4;  // characters of "1:1,"
  if (tasks > text.size() / kLeastNamed) fail("the header is too short for its tasks");
  records_.tasks.resize(static_cast<std::size_t>(tasks));
  writing_.resize(records_.tasks.size());
}

/// application:number:size:task…
void RecordReader::communicator(const char* p) {
  std::uint64_t application = 0;
  std::uint64_t id = 0;
  std::uint64_t size = 0;
  p = number(number(number(p, application), id), size);
  if (id == 0 || id > std::numeric_limits<std::uint32_t>::max()) {
    fail("a communicator's number is 0 or too large");
  }
  std::vector<std::int32_t> group;
  const std::size_t tasks = records_.tasks.size();
  const std::uint64_t number_of_this = records_.communicators.size() + 1;
  named_in_.resize(tasks);
  if (size == 0 || size > tasks) fail("a communicator has no member or too many");
  for (std::uint64_t i = 0; i < size; ++i) {
    std::uint64_t member = 0;
    p = number(p, member);
    const auto task = static_cast<std::size_t>(member - 1);
    if (task >= tasks || std::exchange(named_in_[task], number_of_this) == number_of_this) {
      fail("a communicator names task " + std::to_string(member) + " of " + std::to_string(tasks) +
           ", or names it twice");
    }
    group.push_back(static_cast<std::int32_t>(member - 1));
  }
  ends(p);
  if (!records_.communicators.emplace(static_cast<std::uint32_t>(id), std::move(group)).second) {
    fail("communicator " + std::to_string(id) + " comes twice");
  }
}

void RecordReader::state(const char* p) {
  std::size_t who = 0;
  std::uint64_t thread = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint64_t state = 0;
  ends(number(time(time(task(p, who, thread), begin), end), state));
  if (end < begin) fail("a state ends before it begins");
  if (thread != 1) return;
  if (state == kStateRunning) records_.tasks[who].running_ns += end - begin;
  if (state == kStateDisabled) left_out(who, begin, end);
}

void RecordReader::left_out(std::size_t task, std::int64_t begin_ns, std::int64_t end_ns) {
  if (end_ns > begin_ns) records_.tasks[task].out.push_back({begin_ns, end_ns});
}

void RecordReader::event(const char* p) {
  std::size_t who = 0;
  std::uint64_t thread = 0;
  std::int64_t at = 0;
  p = time(task(p, who, thread), at);
  for (bool more = true; more;) {
    std::uint64_t type = 0;
    std::uint64_t value = 0;
    p = number(p, type);
    if (p[-1] != ':') fail("an event has no value");
    p = number(p, value);
    more = p[-1] == ':';
    if (type >= kFirstCall && type <= kCommunicator) {
      mpi_event(who, thread, at, type, value);
    } else if (type > kCallers && type <= kCallers + kMostLevels) {
      caller(type - kCallers, value, &Caller::function);
    } else if (type > kCallerLines && type <= kCallerLines + kMostLevels) {
      caller(type - kCallerLines, value, &Caller::line);
    } else if (type == kFlushing && thread == 1) {
      Writing& writing = writing_[who];
      if (writing.since_ns != kOpen) left_out(who, writing.since_ns, at);
      writing.since_ns = value != 0 ? at : kOpen;
    }
  }
  ends(p);
  if (!callers_.empty()) keep_callers(who);
}

void RecordReader::caller(std::uint64_t level, std::uint64_t value, std::uint32_t Caller::* what) {
  if (value > std::numeric_limits<std::uint32_t>::max()) fail("a caller's number is too large");
  const auto number = static_cast<std::uint32_t>(level);
  auto found = std::ranges::find(callers_, number, &Caller::level);
  if (found == callers_.end()) found = callers_.insert(found, {number, 0, 0});
  (*found).*what = static_cast<std::uint32_t>(value);
}

/// The callers in a record are those of the task's current call.
void RecordReader::keep_callers(std::size_t task) {
  std::vector<RawCall>& calls = records_.tasks[task].calls;
  if (!calls.empty() && calls.back().leave_ns == kOpen) {
    std::ranges::sort(callers_);
    const auto [stack, is_new] =
        stacks_.try_emplace(callers_, static_cast<std::uint32_t>(records_.stacks.size()));
    if (is_new) records_.stacks.push_back(callers_);
    calls.back().stack = stack->second;
  }
  callers_.clear();
}

void RecordReader::mpi_event(std::size_t who, std::uint64_t thread, std::int64_t time_ns,
                             std::uint64_t type, std::uint64_t value) {
  RawTask& task = records_.tasks[who];
  std::vector<RawCall>& calls = task.calls;
  const bool open = !calls.empty() && calls.back().leave_ns == kOpen;
  if (type <= kLastCall && value != 0) {
    if (open) fail("a call begins within another, of line " + std::to_string(calls.back().line));
    if (value > std::numeric_limits<std::uint32_t>::max()) fail("a call's number is too large");
    if (task.thread != 0 && task.thread != thread) {
      fail("threads " + std::to_string(task.thread) + " and " + std::to_string(thread) +
           " of task " + std::to_string(who + 1) +
           " both call MPI; of Paraver's traces those with one such thread a task are read");
    }
    if (!calls.empty() && time_ns < calls.back().leave_ns) {
      fail("a call begins before the one before it has ended; the records are not in order");
    }
    task.thread = static_cast<std::uint32_t>(thread);
    calls.push_back({.enter_ns = time_ns,
                     .line = records_.lines,
                     .type = static_cast<std::uint32_t>(type),
                     .value = static_cast<std::uint32_t>(value)});
    return;
  }
  if (type <= kLastCall) {
    if (calls.empty()) return;  // cut out of a longer trace, inside a call
    if (!open || calls.back().type != type) fail("a call ends that has not begun");
    if (time_ns < calls.back().enter_ns) fail("a call ends before it begins");
    calls.back().leave_ns = time_ns;
    return;
  }
  if (type < kSent || !open) return;  // another kind of event, or a call that was cut off
  if (type <= kReceived && value > kMostBytes) fail("a call moves more than 8 PiB");
  RawCall& call = calls.back();
  switch (type) {
    case kSent:
      call.sent = value;
      break;
    case kReceived:
      call.received = value;
      break;
    case kRoot:
      call.root = value != 0;
      break;
    default:
      if (!records_.communicators.contains(static_cast<std::uint32_t>(value))) {
        fail("communicator " + std::to_string(value) + " is not defined");
      }
      call.comm = static_cast<std::uint32_t>(value);
  }
}

/// sender:logical:physical:receiver:logical:physical:size:tag
void RecordReader::message(const char* p) {
  RawMessage message{};
  std::size_t source = 0;
  std::size_t destination = 0;
  std::uint64_t from_thread = 0;
  std::uint64_t to_thread = 0;
  std::int64_t physical = 0;
  p = time(time(task(p, source, from_thread), message.sent_ns), physical);
  p = time(time(task(p, destination, to_thread), message.posted_ns), message.received_ns);
  p = number(p, message.bytes);
  p = p[-1] == ':' ? read_int(p, message.tag) : nullptr;
  if (p == nullptr) fail("a message has no tag");
  ends(p);
  if (message.bytes > kMostBytes) fail("a message is larger than 8 PiB");
  message.line = records_.lines;
  message.source = static_cast<std::uint32_t>(source);
  message.destination = static_cast<std::uint32_t>(destination);
  message.source_thread = static_cast<std::uint32_t>(from_thread);
  message.destination_thread = static_cast<std::uint32_t>(to_thread);
  records_.messages.push_back(message);
}

}  // namespace latitude::trace::paraver
