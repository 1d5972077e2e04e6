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

/// One member's call of a collective, to check that all members call the same.
struct CollectiveCall {
  std::uint32_t comm;
  std::uint32_t position;
  std::int32_t root;
  trace::Call call;
};

/// Gaps in which there were polls until one found something (docs/explanation/semantics.md).
struct Polling {
  std::uint64_t gaps = 0;
  std::uint64_t failed = 0;     ///< polls
  std::int64_t waited_ns = 0;   ///< what polls took, which is no computation
  std::int64_t between_ns = 0;  ///< what was done between them
};

/// What Tallies has, of one rank.
struct RankTallies {
  std::map<trace::Call, Tally> unsupported;
  std::map<trace::Call, Tally> unrecorded;
  std::map<trace::Call, Tally> unfinished;
  Polling polling;
};

/// The tallies of all ranks, which took so long together.
Tallies add_up(std::span<const RankTallies* const> ranks, std::int64_t ranks_ns);

/// UnsupportedCallsError where there is a call that cannot be expressed.
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
  std::vector<Completion> completions;  ///< of receives, by another call than posted them
  trace::RankPostings postings;
  std::vector<CollectiveCall> collectives;
  std::vector<Poll> polls;
  std::vector<PolledRequest> polled;
  std::uint32_t polled_requests = 0;  ///< how many different ones
  RankTallies tallies;

  // What is told of a rank that is taken piece by piece (RankBuilder::next_piece).
  struct Posted {
    VertexId after;
    std::uint32_t origin;
    CallRecord call;
    std::uint64_t bytes;
    bool answers;  ///< from `after` on; else from what `answered` says
  };
  struct Answered {
    std::uint32_t posting;
    VertexId after;
  };
  struct Completed {
    std::uint32_t posting;
    VertexId receive;
    std::uint32_t call;  ///< that completes it, in this piece; kNoOrigin: the one that posts it
  };
  std::vector<Posted> posted;        ///< of each of postings.receives
  std::vector<Answered> answered;    ///< receives that calls after their own have met requests for
  std::vector<Completed> completed;  ///< receives by ascending vertex, and their postings
  std::vector<VertexId> branches;    ///< the first vertices of non-blocking collectives, ascending
};

/// Turns a rank's events into vertices (docs/explanation/semantics.md): all at once, or piece by
/// piece for who does not keep them.
class RankBuilder {
 public:
  enum class Takes : std::uint8_t { all, pieces };

  RankBuilder(const std::vector<trace::Communicator>& communicators, const trace::RankTrace& rank,
              std::uint32_t world_rank, const BuildOptions& options, Takes takes = Takes::all);

  /// One event, as if nothing had come before it, with messages as in a recorded collective.
  RankGraph alone(std::uint32_t id);
  /// All events. `consumed`: these, whose memory is given back as they are taken.
  RankGraph run(std::vector<trace::Event>* consumed = nullptr);

  // By pieces: vertices, calls and postings are numbered as they are by run(), and the first of a
  // piece has the number that is given here. Of a call that several pieces name, the record is in
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
  /// The vertices of an event are added to the piece.
  void handle(std::uint32_t id, const trace::Event& event);
  const Piece& piece() const { return piece_; }
  /// The piece goes to `taken`, whose memory the next one gets.
  void next_piece(Piece& taken);
  /// The last vertex of the rank's only thread, which has more to come; kNoVertex: none.
  VertexId last() const { return thread_->chain.last; }
  /// The vertices of former pieces, and this one, on which those to come may depend.
  void collect_needed(std::vector<VertexId>& to) const;

 private:
  /// A sequence of operations that follow each other: what one thread does, or the inside of a
  /// non-blocking collective.
  struct Chain {
    VertexId last = kNoVertex;
    std::int64_t gap_ns = 0;             ///< computation since `last` that is no vertex yet
    std::int64_t between_polls_ns = 0;   ///< of it, what was done between polls that failed
    std::int64_t until_ns = kNotTraced;  ///< when that was over, where asked for
    bool started = false;
    std::uint32_t unit = 0;  ///< the number of the thread
  };

  /// Polls of a thread that have failed since its last call.
  struct Polls {
    std::uint64_t failed = 0;
    std::int64_t since_ns = 0;  ///< when the first of them had
    std::int64_t cost_ns = 0;   ///< of those after it
    bool found = false;         ///< a later one did not fail, and is no event
  };

  /// One thread of the process.
  struct Thread {
    Chain chain;
    std::int64_t last_leave_ns = 0;
    Polls polls;
    /// Where it was when it entered its last call, or MPI_Init returned (kept for the first thread
    /// if there are others).
    VertexId entered_at = kNoVertex;
    std::int64_t entered_ns = 0;
    bool started = false;
  };

  /// When a receive may meet the request of a rendezvous.
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
    VertexId posted_after = kNoVertex;  ///< recv, both: answers the request of a rendezvous
    Answers answers = Answers::at_once;
    std::uint32_t posting = 0;  ///< recv, both: index into postings.receives
    std::uint64_t bytes = 0;
    std::int32_t tag = 0;
    std::uint32_t origin = kNoOrigin;
    std::uint32_t polled = kNoOrigin;  ///< PolledRequest::number, once it has one
    bool freed = false;
  };

  /// Messages that a call completes.
  struct Served {
    std::int64_t sends = 0;
    std::int64_t receives = 0;
    double sent = 0;      ///< bytes, of all
    double received = 0;  ///< the same

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

  /// How many events, of the first `taken`, no call to come asks for.
  std::size_t done_with(std::size_t taken) const;
  VertexId push(Chain& chain, Vertex vertex, std::span<const Dep> deps = {});
  VertexId append(const Chain& chain, Vertex vertex);
  void flush_gap(Chain& chain);
  VertexId position(Chain& chain);
  bool records() const { return options_.call_times.has_value(); }
  /// What the calling thread does.
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
  Thread* thread_ = nullptr;  ///< that makes the current call
  std::uint32_t origin_ = kNoOrigin;
  std::unordered_map<std::uint32_t, std::uint32_t> described_;  ///< persistent, position to origin
  std::size_t first_described_ = std::numeric_limits<std::size_t>::max();  ///< of events
  FlatMap<std::uint32_t, Request> requests_;                               ///< by event id
  /// Events whose receives no call that may wait has come after.
  std::vector<std::uint32_t> unanswered_;
  std::unordered_map<std::uint32_t, std::uint32_t> sequence_;  ///< collectives so far, by comm
  std::unordered_map<std::uint32_t, std::uint32_t> inits_;     ///< collective_init → its number
  Steps steps_;
  std::vector<VertexId> ends_;  ///< that a call waits for
  std::vector<Dep> joined_;
};

}  // namespace latitude::graph
