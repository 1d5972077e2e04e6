#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/event_args.hpp"
#include "core/trace/native/cursor.hpp"
#include "core/trace/native/rank_log.hpp"
#include "core/trace/native/tables.hpp"

namespace latitude::trace::native {

/// Turns chunks of events into RankLog::trace.
class EventReader {
 public:
  EventReader(const Source& source, const Header& header, Tables& tables, RankLog& log,
              bool keep_order);

  /// Reads all events of a chunk.
  void read(Cursor& in, const Chunk& chunk);

  // Reading event by event: call begin, then next once for each record of the chunk. A record need
  // not become an event.
  void begin(const Chunk& chunk);
  void next(Cursor& in) { event(in, clocks_[thread_]); }

 private:
  /// One thread's clock: as recorded, and as the analysis sees it (without the tracer's own time,
  /// and with computation by the chosen clock).
  struct ThreadClock {
    std::uint64_t now_ns = 0;      ///< recorded: time at which the last call returned
    std::int64_t adjusted_ns = 0;  ///< now_ns, adjusted
    std::uint64_t gap_ns = 0;      ///< time since now_ns
    bool started = false;
    bool null_gap_left_out = false;  ///< whether the current gap has left it out
  };

  /// The fields of one event; for a call with two peers, [1] belongs to the receive.
  struct Fields {
    std::array<std::int64_t, 2> peer;
    std::array<std::int64_t, 2> tag;
    std::array<std::uint64_t, 2> bytes;
    std::uint64_t element = 0;
    std::uint64_t flags = 0;
    std::uint64_t request = 0;
    std::uint64_t made = 0;   ///< communicator + 1
    std::uint64_t polls = 0;  ///< 2 × number of failed polls; + 1: the last poll found a message
    std::uint64_t away_ns = 0;
    std::uint64_t waited = 0;  ///< ns of that time for which the thread was ready to run, + 1; 0:
                               ///< not known
    Received status;
    std::uint64_t received_bytes = 0;
    std::uint32_t comm = 0;
    std::size_t args = 0;  ///< start of the values of `Q`, `R` or `L` in RankTrace::args
    bool lists = false;
    bool unrecorded = false;  ///< the event names a request that no recorded call made
  };

  void event(Cursor& in, ThreadClock& clock);
  Event begun(const CallEntry& call, ThreadClock& clock, std::uint64_t entered);
  void add(const Event& event, std::uint32_t site, std::uint64_t order);
  void polls(const CallEntry& call, ThreadClock& clock, std::uint64_t entered);
  void absence(ThreadClock& clock, std::uint64_t gap_ns);
  void account(const CallEntry& call, std::uint64_t entered, std::uint64_t left,
               std::uint64_t computed_ns, std::uint64_t tracer_ns);
  std::uint64_t span(Cursor& in) const;
  void fields(Cursor& in, const CallEntry& call);
  std::uint32_t communicator(Cursor& in) const;
  std::uint64_t request(Cursor& in);
  std::uint64_t status(Cursor& in, Received& to) const;
  void completed(Cursor& in);
  void requests(Cursor& in);
  void begin_requests();
  bool named_request(Cursor& in);
  void list(Cursor& in);
  void drop_args();

  void convert(const CallEntry& call, Event& event);
  void point_to_point(const CallEntry& call, Event& event, bool receives) const;
  Message message(std::size_t half, bool receives) const;
  Message received(Message message);
  void sendrecv(Event& event);
  void collective(const CallEntry& call, Event& event);
  void check_list(const Event& event, std::int64_t size) const;
  void made_request(Event& event);
  std::int32_t peer(std::int64_t value, bool receives) const;
  std::int32_t tag(std::int64_t value, std::int32_t peer, bool receives) const;
  std::uint64_t bytes(std::uint64_t value) const;
  [[noreturn]] void fail(const std::string& text) const;

  const Source& source_;
  Tables& tables_;
  RankLog& log_;
  const bool carries_cpu_;
  const bool keep_order_;
  std::vector<ThreadClock> clocks_;            ///< by thread
  std::optional<std::uint16_t> first_thread_;  ///< the thread that called MPI_Init
  std::uint16_t thread_ = 0;                   ///< thread of the current chunk
  Fields at_;
  std::uint64_t last_request_ = 0;  ///< last request number in this chunk
  std::uint64_t records_ = 0;       ///< events read, including pauses
  std::uint64_t event_offset_ = 0;  ///< start of the current event
  const CallEntry* current_ = nullptr;
};

}  // namespace latitude::trace::native
