#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/flat_map.hpp"
#include "core/graph/collectives/collective.hpp"
#include "core/graph/from_trace.hpp"
#include "core/graph/graph.hpp"
#include "core/graph/matching.hpp"
#include "core/trace/event.hpp"
#include "core/trace/event_args.hpp"

namespace latitude::graph {

/// One member's call of a collective, for the check that all members make the same call.
struct CollectiveCall {
  std::uint32_t comm;
  std::uint32_t position;
  std::int32_t root;
  trace::Call call;
};

/// Gaps in which polls finally found a message (docs/explanation/semantics.md).
struct Polling {
  std::uint64_t gaps = 0;
  std::uint64_t failed = 0;     ///< number of failed polls
  std::int64_t waited_ns = 0;   ///< time of polls, which is not computation
  std::int64_t between_ns = 0;  ///< time between polls
};

/// One rank's part of Tallies.
struct RankTallies {
  std::map<trace::Call, Tally> unsupported;
  std::map<trace::Call, Tally> unrecorded;
  std::map<trace::Call, Tally> unfinished;
  Polling polling;
};

/// The tallies of all ranks, with the sum of their durations.
Tallies add_up(std::span<const RankTallies* const> ranks, std::int64_t ranks_ns);

/// UnsupportedCallsError if a call cannot be expressed.
void refuse_unsupported(const Tallies& tallies);

/// One rank's part of the graph. Vertex ids count from 0.
struct RankGraph {
  std::vector<Vertex> vertices;
  Offsets dep_end;  ///< per vertex: end of its run in `deps`
  std::vector<Dep> deps;
  std::vector<std::int64_t> traced_ns;  ///< Graph::traced_ns, by the trace's own clock
  CallTable calls;
  struct Completion {
    VertexId receive;
    std::uint32_t call;
  };
  std::vector<Completion> completions;  ///< for receives that another call than the posting one
                                        ///< completes
  trace::RankPostings postings;
  std::vector<CollectiveCall> collectives;
  std::vector<Poll> polls;
  std::vector<PolledRequest> polled;
  std::uint32_t polled_requests = 0;  ///< number of different requests
  RankTallies tallies;

  // The record of a rank that is taken piece by piece (RankBuilder::next_piece).
  struct Posted {
    VertexId after;
    std::uint32_t origin;
    CallRecord call;
    std::uint64_t bytes;
    bool answers;  ///< answers the RTS from `after` on; otherwise from the time in `answered`
  };
  struct Answered {
    std::uint32_t posting;
    VertexId after;
  };
  struct Completed {
    std::uint32_t posting;
    VertexId receive;
    std::uint32_t call;  ///< the call in this piece that completes it; kNoOrigin: the posting call
  };
  std::vector<Posted> posted;        ///< for each of postings.receives
  std::vector<Answered> answered;    ///< receives that calls after the posting call can answer
  std::vector<Completed> completed;  ///< receives by ascending vertex, and their postings
  std::vector<VertexId> branches;    ///< the first vertices of non-blocking collectives, ascending
};

/// Turns a rank's events into vertices (docs/explanation/semantics.md): all at once, or piece by
/// piece for callers that do not store the events.
class RankBuilder {
 public:
  enum class Takes : std::uint8_t { all, pieces };

  RankBuilder(const std::vector<trace::Communicator>& communicators, const trace::RankTrace& rank,
              std::uint32_t world_rank, const BuildOptions& options, Takes takes = Takes::all);

  /// Builds one event as if no event had come before it, with messages as in a recorded collective.
  RankGraph alone(std::uint32_t id);
  /// Builds all events. `consumed`: these events, whose memory is freed on the way.
  RankGraph run(std::vector<trace::Event>* consumed = nullptr);

  // Piece by piece. Vertices, calls and postings have the same numbers as in run(); the caller
  // gives the first number of a piece. The record of a call that several pieces name is in
  // `lasting`.
  struct Piece {
    RankGraph graph;
    VertexId first_vertex = 0;
    std::uint32_t first_call = 0;
    std::uint32_t first_posting = 0;
    std::unordered_map<std::uint32_t, CallRecord> lasting;  ///< stays with the builder

    CallRecord call(std::uint32_t origin) const {
      return origin < first_call ? lasting.at(origin) : graph.calls[origin - first_call];
    }
  };
  /// Adds the vertices of an event to the piece.
  void handle(std::uint32_t id, const trace::Event& event);
  const Piece& piece() const { return piece_; }
  /// Moves the piece to `taken`, and reuses the memory of `taken` for the next piece.
  void next_piece(Piece& taken);
  /// The last vertex of the rank's only thread, which has more to come; kNoVertex: none.
  VertexId last() const { return thread_->chain.last; }
  /// The vertices of earlier pieces, and of this one, on which later vertices may depend.
  void collect_needed(std::vector<VertexId>& to) const;

 private:
  /// A sequence of operations in order: the work of one thread, or the inside of a non-blocking
  /// collective.
  struct Chain {
    VertexId last = kNoVertex;
    std::int64_t gap_ns = 0;             ///< computation since `last` that has no vertex yet
    std::int64_t between_polls_ns = 0;   ///< part of gap_ns between polls that failed
    std::int64_t until_ns = kNotTraced;  ///< end of that computation, if requested
    bool started = false;
    std::uint32_t unit = 0;  ///< the number of the thread
  };

  /// Polls of a thread that have failed since its last call.
  struct Polls {
    std::uint64_t failed = 0;
    std::int64_t since_ns = 0;  ///< time at which the first one had failed
    std::int64_t cost_ns = 0;   ///< time of the failed polls after the first
    bool found = false;         ///< a later poll did not fail, and has no event
  };

  /// One thread of the process.
  struct Thread {
    Chain chain;
    std::int64_t last_leave_ns = 0;
    Polls polls;
    /// Vertex at which it entered its last call, or at which MPI_Init returned (stored for the
    /// first thread if others exist).
    VertexId entered_at = kNoVertex;
    std::int64_t entered_ns = 0;
    bool started = false;
  };

  /// The time from which a receive may answer the RTS of a rendezvous.
  enum class Answers : std::uint8_t { at_once, in_the_next_wait };

  /// An operation that has been posted and not completed.
  struct Request {
    /// both: recv and send. unready: a partitioned send, some of whose partitions are missing.
    enum class Kind : std::uint8_t {
      nothing,
      send,
      recv,
      both,
      unready,
      collective,
    } kind = Kind::nothing;
    VertexId vertex = kNoVertex;        ///< send, both: the send; collective: its last vertex
    VertexId posted_after = kNoVertex;  ///< recv, both: answers the RTS from its release on
    Answers answers = Answers::at_once;
    std::uint32_t posting = 0;  ///< recv, both: index into postings.receives
    std::uint64_t bytes = 0;
    std::int32_t tag = 0;
    std::uint32_t origin = kNoOrigin;
    std::uint32_t polled = kNoOrigin;  ///< PolledRequest::number, once assigned
    bool freed = false;
  };

  /// Messages that a call completes.
  struct Served {
    std::int64_t sends = 0;
    std::int64_t receives = 0;
    double sent = 0;      ///< bytes of all sends
    double received = 0;  ///< bytes of all receives

    double bytes_sent() const { return sends > 0 ? sent / static_cast<double>(sends) : 0; }
    double bytes_received() const {
      return receives > 0 ? received / static_cast<double>(receives) : 0;
    }
  };

  void enter(std::uint32_t id, const trace::Event& event);
  Served served_by(const trace::Event& event) const;
  void failed(const trace::Event& event);
  std::int64_t polled(const trace::Event& event, std::int64_t gap_ns);
  void answer();
  void never_completed(std::uint32_t id, const trace::Event& event);
  void keep(std::uint32_t id, const Request& request);
  void begin_thread(const trace::Event& event);
  void play_event(std::uint32_t id, const trace::Event& event);
  void post(std::uint32_t id, const trace::Event& event, const trace::Message& message,
            std::int64_t took_ns);
  void start(const trace::Event& event);
  void ready(const trace::Event& event);
  void complete(const trace::Event& event);
  void poll(const trace::Event& event);
  VertexId awaited(Request& request);
  Request post_sendrecv(const trace::Event& event, Answers answers,
                        std::optional<std::int64_t> took_ns);
  void sendrecv(const trace::Event& event);
  Collective collective_of(const trace::Event& event) const;
  void note(const trace::Event& event);
  void described(std::uint32_t id, const trace::Event& event);
  Request branch(const trace::Event& event, std::uint32_t sequence);
  void collective(std::uint32_t id, const trace::Event& event, bool blocking);
  void communicator_creation(std::uint32_t id, const trace::Event& event);
  void unsupported(std::uint32_t id, const trace::Event& event);
  void count(const trace::Event& event, std::map<trace::Call, Tally>& in) const;
  void finalize();
  void end(std::uint32_t id, const Request& request);

  NamedAlgorithm algorithm_of(const Collective& collective, const trace::Event& event) const;
  void find_steps(const Collective& collective, const NamedAlgorithm& algorithm,
                  const trace::Event& event);
  void play(Chain& chain, const Collective& collective, const NamedAlgorithm& algorithm,
            const trace::Event& event, std::uint64_t context);
  Request post_send(Chain& chain, const trace::Event& event, std::uint64_t context,
                    std::int32_t world_peer, std::uint64_t bytes, std::int32_t tag, bool blocking);
  Request post_receive(Chain& chain, std::uint64_t context, std::int32_t world_peer,
                       std::uint64_t bytes, std::int32_t tag, std::uint32_t origin,
                       Answers answers);
  void complete_receive(Chain& chain, const Request& request, std::uint32_t call = kNoOrigin,
                        std::optional<std::int64_t> took_ns = std::nullopt);
  void join_sends(Chain& chain, std::span<const VertexId> ends, std::int64_t took_ns = 0);
  std::int64_t time_of(const trace::Event& event) const;
  std::optional<std::int64_t> time_of_end(trace::Service service, const trace::Event& event,
                                          double bytes) const;
  void take(const trace::Event& event, std::int64_t took_ns);
  void record(Chain& chain, std::int64_t took_ns);
  void record_messages(std::size_t from);

  /// Number of events, among the first `taken`, that no later call refers to.
  std::size_t done_with(std::size_t taken) const;
  VertexId push(Chain& chain, Vertex vertex, std::span<const Dep> deps = {});
  VertexId append(const Chain& chain, Vertex vertex);
  void flush_gap(Chain& chain);
  VertexId position(Chain& chain);
  bool records() const { return options_.call_times.has_value(); }
  /// The state of the calling thread.
  Chain& main() { return thread_->chain; }
  std::uint32_t origin_of(const trace::Event& event);
  std::uint32_t site_of(const trace::Event& event) const;
  std::int32_t world_rank(const trace::Event& event, std::int32_t peer) const;
  [[noreturn]] void refuse(const trace::Event& event, const std::string& why) const;

  VertexId next_vertex() const {
    return piece_.first_vertex + static_cast<VertexId>(graph_.vertices.size());
  }

  const std::vector<trace::Communicator>& communicators_;
  const trace::RankTrace& rank_;
  std::uint32_t world_;
  const BuildOptions& options_;
  Takes takes_;
  Piece piece_;
  RankGraph& graph_ = piece_.graph;
  std::map<std::uint16_t, Thread> threads_;
  Thread* thread_ = nullptr;  ///< the thread that makes the current call
  std::uint32_t origin_ = kNoOrigin;
  std::unordered_map<std::uint32_t, std::uint32_t> described_;  ///< persistent: position to origin
  std::size_t first_described_ =
      std::numeric_limits<std::size_t>::max();  ///< first event that describes an operation
  FlatMap<std::uint32_t, Request> requests_;    ///< by event id
  /// Events whose receives have not yet been followed by a call that may wait.
  std::vector<std::uint32_t> unanswered_;
  std::unordered_map<std::uint32_t, std::uint32_t> sequence_;  ///< number of collectives so far, by
                                                               ///< comm
  std::unordered_map<std::uint32_t, std::uint32_t> inits_;     ///< collective_init → its number
  Steps steps_;
  Algorithm steps_by_ = nullptr;  ///< the algorithm of `steps_`; null if no call may take them
  Collective steps_for_;          ///< the call of `steps_`; it has no lists
  std::vector<VertexId> ends_;    ///< ends for which a call waits
  std::vector<Dep> joined_;
};

}  // namespace latitude::graph
