#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/line_buffer.hpp"
#include "core/trace/members.hpp"
#include "core/trace/program_clock.hpp"

namespace latitude::trace::paraver {

inline constexpr std::int64_t kOpen = -1;  ///< the leave of a call that has not ended

inline constexpr std::uint32_t kNoStack = 0xFFFFFFFF;

/// A function from which a call was made, by the numbers of the names of its level.
struct Caller {
  std::uint32_t level;     ///< 1: the function that called MPI
  std::uint32_t function;  ///< value of an event 70000000 + level
  std::uint32_t line;      ///< value of an event 80000000 + level
  auto operator<=>(const Caller&) const = default;
};

/// One MPI call of a task, from its records.
struct RawCall {
  std::int64_t enter_ns = 0;
  std::int64_t leave_ns = kOpen;
  std::uint64_t sent = 0;          ///< bytes, for a collective
  std::uint64_t received = 0;      ///< bytes, for a collective
  std::uint32_t line = 0;          ///< line of the file, from 1
  std::uint32_t type = 0;          ///< 50000001 to 50000005
  std::uint32_t value = 0;         ///< number of the call in the names of the type
  std::uint32_t comm = 0;          ///< 0: none given
  std::uint32_t stack = kNoStack;  ///< index into Records::stacks
  bool root = false;
};

/// One message.
struct RawMessage {
  std::int64_t sent_ns;      ///< time in the call that sends it
  std::int64_t posted_ns;    ///< time in the call that posts its receive
  std::int64_t received_ns;  ///< time in the call that completes its receive
  std::uint64_t bytes;
  std::uint32_t line;
  std::uint32_t source;  ///< task, from 0
  std::uint32_t destination;
  std::uint32_t source_thread;
  std::uint32_t destination_thread;
  std::int32_t tag;
};

struct RawTask {
  std::vector<RawCall> calls;   ///< in order, not nested
  std::vector<Interval> out;    ///< in order: the tracer wrote its buffers, or was switched off
  std::int64_t running_ns = 0;  ///< running time of its first thread
  std::uint32_t thread = 0;     ///< the thread that calls MPI; 0: none did
  bool recorded = false;        ///< a record names this task
};

/// The contents of a .prv file, before they are put together.
struct Records {
  std::string source;  ///< the file's name
  std::int64_t end_ns = 0;
  std::uint32_t lines = 0;
  std::vector<RawTask> tasks;
  std::vector<RawMessage> messages;                ///< between the threads that call MPI
  std::map<std::uint32_t, Members> communicators;  ///< tasks from 0
  std::vector<std::vector<Caller>> stacks;         ///< each once, level 1 first
};

/// Reads a .prv file in pieces that are cut anywhere.
class RecordReader {
 public:
  explicit RecordReader(std::string source) { records_.source = std::move(source); }

  /// InputError names the file and the line.
  void feed(std::string_view bytes);
  /// Call once, after all bytes have been fed.
  Records finish();

 private:
  /// Other activities of a task's thread 1.
  struct Writing {
    std::int64_t since_ns = kOpen;
  };

  void line(const char* p, const char* end);
  void header(std::string_view text);
  void communicator(const char* p);
  void state(const char* p);
  void event(const char* p);
  void message(const char* p);
  void mpi_event(std::size_t task, std::uint64_t thread, std::int64_t time_ns, std::uint64_t type,
                 std::uint64_t value);
  void caller(std::uint64_t level, std::uint64_t value, std::uint32_t Caller::* what);
  void keep_callers(std::size_t task);
  void left_out(std::size_t task, std::int64_t begin_ns, std::int64_t end_ns);

  const char* number(const char* p, std::uint64_t& value) const;
  const char* time(const char* p, std::int64_t& ns) const;
  void ends(const char* p) const;
  const char* task(const char* p, std::size_t& task, std::uint64_t& thread);
  [[noreturn]] void fail(const std::string& text) const;

  LineBuffer lines_;
  Records records_;
  std::vector<Writing> writing_;
  std::vector<std::uint64_t> named_in_;  ///< by task: the last communicator that contains it, from
                                         ///< 1
  std::vector<Caller> callers_;          ///< named by the current record
  std::map<std::vector<Caller>, std::uint32_t> stacks_;
  std::int64_t unit_ns_ = 1;
};

}  // namespace latitude::trace::paraver
