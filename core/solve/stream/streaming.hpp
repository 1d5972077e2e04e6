#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/crew.hpp"
#include "core/error.hpp"
#include "core/graph/rank_builder.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/stream/channels.hpp"
#include "core/solve/stream/evaluate.hpp"
#include "core/solve/stream/live_program.hpp"
#include "core/solve/stream/meetings.hpp"
#include "core/solve/stream/read_ahead.hpp"

namespace latitude::solve {

/// The values of a rank's numbers, as far as they are needed: the values of the last numbers, and
/// some earlier ones.
class Numbered {
 public:
  void push(std::uint32_t what) { recent_.push_back(what); }
  std::uint32_t of(std::uint32_t number) const {
    if (number >= first_) return recent_[number - first_];
    return std::ranges::lower_bound(before_, number, {}, &Before::number)->what;
  }
  std::size_t recent() const { return recent_.size(); }
  std::size_t kept() const { return before_.size(); }
  /// Moves all numbers to the earlier part, in which only those stay for which keep(number, value),
  /// called in order, is true.
  template <class Keep>
  void tidy(Keep keep) {
    std::erase_if(before_, [&](const Before& it) { return !keep(it.number, it.what); });
    for (const std::uint32_t what : recent_) {
      const std::uint32_t number = first_++;
      if (keep(number, what)) before_.push_back({number, what});
    }
    recent_.clear();
  }

 private:
  struct Before {
    std::uint32_t number;
    std::uint32_t what;
  };

  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> recent_;
  std::vector<Before> before_;  ///< by number
};

/// NotInPiecesError if this network needs the whole trace.
void check_stream(std::uint32_t ranks, const model::Network& network);

/// The threads that read ahead and run other jobs.
Crew crew_for(const StreamOptions& options, std::uint32_t ranks);

/// Advances all ranks together, each until it waits for a message that no rank has sent yet, and
/// runs the cost model with this Algebra (Lowering) over the operations so far. An Algebra gets the
/// program (`runs`), and may also have
///   void called(const graph::CallRecord&)  – for each call that a graph in memory has
///   void came(VertexId)                    – for each computation and each send
///   void met(VertexId recv)                – for each receive, once its message is known
///   void comes(VertexId, const graph::Vertex&, const RankBatch::Call&, deps)
///                                          – for each vertex of a rank in their order, before it
///                                          runs
/// `priced` is the network of the Algebra: `network` with one eager limit.
template <class Algebra>
class Streaming {
 public:
  Streaming(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
            const model::Network& network, const model::Network& priced, Algebra& algebra,
            const StreamOptions& options, Crew& crew)
      : pieces_(pieces),
        build_(build),
        network_(network),
        one_limit_(network.one_limit()),
        options_(options),
        algebra_(algebra),
        lowering_(priced.base, algebra_),
        program_(lowering_.program()),
        meetings_(pieces.trace().communicators,
                  [this](std::uint32_t rank, std::uint32_t position, trace::Call call) {
                    return where(rank, position, call);
                  }),
        ahead_(pieces, build, options.window, options.ahead, crew),
        ranks_(pieces.ranks()) {
    algebra_.runs(program_);
    for (std::uint32_t rank = 0; rank < pieces.ranks(); ++rank) ranks_[rank].number = rank;
  }

  void run(StreamFound& found) {
    go_through();
    check_all(found);
    for (Rank& rank : ranks_) tidy(rank);
    found.vertices = vertices_;
    found.messages = messages_;
    found.edges = edges_ + messages_;
    found.bytes = bytes_;
    found.most_held = most_held_;
    for (const Rank& rank : ranks_) found.wildcards += rank.batch->wildcards;
  }

 private:
  using Program = LiveProgram<typename Algebra::Instant>;
  using VertexId = graph::VertexId;
  using Pieces = trace::native::Pieces;

  static constexpr VertexId kNoVertex = graph::kNoVertex;
  static constexpr std::uint32_t kTurn = 64;        ///< events of a rank before another rank's turn
  static constexpr std::uint64_t kReadOn = 200000;  ///< most events read to find out why nothing
                                                    ///< advances

  enum class State : std::uint8_t { goes, waits, ended };

  struct Rank {
    std::uint32_t number = 0;
    const RankBatch* batch = nullptr;
    // The part of the batch that has been used.
    std::size_t events = 0;
    std::size_t vertices = 0;
    std::size_t posted = 0;
    std::size_t answered = 0;
    std::size_t collectives = 0;
    std::size_t deps = 0;
    std::size_t sends = 0;
    std::size_t completed = 0;

    Numbered vertex;   ///< the operation of each vertex
    Numbered posting;  ///< the receive of each posting
    State state = State::goes;
    VertexId waits_for = kNoVertex;  ///< operation whose release precedes everything that is not
                                     ///< read yet
    std::uint64_t in_flight = 0;     ///< messages sent without a posted receive
    std::uint64_t told = 0;          ///< bytes already reported as progress
    std::size_t kept = 0;            ///< number of operations after the last tidy()
  };

  /// A message without a posted receive.
  struct Message {
    graph::Vertex sent;
    std::uint32_t source = 0;
    std::uint32_t position = 0;
    trace::Call call = trace::Call::count_;
    std::uint32_t site = trace::kNoSite;
    std::uint64_t serial = 0;   ///< serial number of the send
    VertexId send = kNoVertex;  ///< while it may be needed
    bool started = false;
    typename Algebra::Instant start;
  };

  std::string where(std::uint32_t rank, std::uint32_t position, trace::Call call) const {
    return pieces_.trace().ranks[rank].source + ":" + std::to_string(position) + ": " +
           std::string(trace::name_of(call));
  }
  std::string end_of(std::uint32_t rank, std::uint32_t position, trace::Call call, bool sent,
                     std::int64_t bytes, std::int32_t tag) const {
    return where(rank, position, call) + (sent ? " (sending " : " (receiving ") +
           std::to_string(bytes) + " B, tag " + std::to_string(tag) + ")";
  }
  std::string describe(VertexId v) const {
    const typename Program::Operation& operation = program_[v];
    return end_of(operation.rank, operation.position, operation.call,
                  operation.vertex.kind == graph::Kind::send, operation.vertex.value,
                  operation.vertex.tag);
  }

  // The order in which ranks advance: in turn, but ranks with messages for which no rank waits come
  // last.

  void go_through() {
    std::size_t left = ranks_.size();
    while (left > 0) {
      bool moved = false;
      Rank* ahead = nullptr;  // a rank that could advance, but is too far ahead
      for (Rank& rank : ranks_) {
        if (rank.state != State::goes) continue;
        if (rank.in_flight > options_.in_flight) {
          if (ahead == nullptr || rank.in_flight < ahead->in_flight) ahead = &rank;
          continue;
        }
        moved = true;
        take_turn(rank);
        if (rank.state == State::ended) --left;
      }
      if (moved) continue;
      if (ahead != nullptr) {
        take_turn(*ahead);
        if (ahead->state == State::ended) --left;
        continue;
      }
      // Nothing advances. The reason is in the later calls of the ranks, as far as they can be
      // stored.
      bool all = true;
      for (Rank& rank : ranks_) {
        const std::uint64_t most = kReadOn / ranks_.size();
        for (std::uint64_t i = 0; rank.state != State::ended && i < most; ++i) one_event(rank);
        all = all && rank.state == State::ended;
      }
      stuck(all);
    }
  }

  void take_turn(Rank& rank) {
    for (std::uint32_t i = 0; i < kTurn && rank.state == State::goes; ++i) {
      one_event(rank);
      if (rank.state == State::ended) return;
      wait_if_held(rank);
    }
  }

  /// The rank cannot continue before its last operation has left the CPU.
  void wait_if_held(Rank& rank) {
    const VertexId last = rank.batch->events[rank.events - 1].last;
    if (last == kNoVertex) return;
    const VertexId v = rank.vertex.of(last);
    if (program_[v].released) return;
    program_[v].watched = true;
    rank.waits_for = v;
    rank.state = State::waits;
  }

  void one_event(Rank& rank) {
    while (rank.batch == nullptr || rank.events == rank.batch->events.size()) {
      if (!next_batch(rank)) {
        rank.state = State::ended;
        if constexpr (requires { algebra_.left(rank.number); }) algebra_.left(rank.number);
        return;
      }
    }
    take_event(rank);
  }

  /// Makes the next batch the current one; false if none is left.
  bool next_batch(Rank& rank) {
    if (rank.batch != nullptr) {
      if (rank.batch->error) std::rethrow_exception(rank.batch->error);
      if (rank.batch->last) return false;
      if (rank.batch->tells_needed && rank.vertex.recent() > rank.kept) tidy(rank);
    }
    rank.batch = &ahead_.next(rank.number);
    rank.events = rank.vertices = rank.posted = rank.answered = rank.collectives = 0;
    rank.deps = rank.sends = rank.completed = 0;
    tell(rank);
    if constexpr (requires(const graph::CallRecord& call) { algebra_.called(call); }) {
      const graph::CallTable& calls = rank.batch->piece.graph.calls;
      for (std::size_t i = 0; i < calls.size(); ++i) algebra_.called(calls[i]);
    }
    return true;
  }

  void tell(Rank& rank) {
    if (!options_.progress) return;
    const std::uint64_t now = rank.batch->bytes_read;
    read_ += now - std::exchange(rank.told, now);
    if (read_ - told_ < options_.progress_bytes) return;
    told_ = read_;
    options_.progress(read_);
  }

  // The following functions add the vertices of an event.

  void take_event(Rank& rank) {
    const graph::RankBuilder::Piece& piece = rank.batch->piece;
    const graph::RankGraph& graph = piece.graph;
    const RankBatch::EventEnd& end = rank.batch->events[rank.events++];
    for (; rank.collectives < end.collectives; ++rank.collectives) {
      meetings_.call(rank.number, graph.collectives[rank.collectives]);
    }
    const auto add_until = [&](VertexId last) {
      while (rank.vertices < end.vertices && piece.first_vertex + rank.vertices <= last) add(rank);
    };
    // An event first answers earlier postings.
    for (; rank.answered < end.answered; ++rank.answered) {
      const graph::RankGraph::Answered& answered = graph.answered[rank.answered];
      add_until(answered.after);
      lowering_.posted_after(rank.posting.of(answered.posting), rank.vertex.of(answered.after));
      settle();
    }
    for (; rank.posted < end.posted; ++rank.posted) {
      const graph::RankGraph::Posted& posted = graph.posted[rank.posted];
      add_until(posted.after);
      post(rank, graph.postings.receives[rank.posted], posted);
    }
    while (rank.vertices < end.vertices) add(rank);
    most_held_ = std::max<std::uint64_t>(most_held_, program_.size());
  }

  void post(Rank& rank, const trace::Posting& posting, const graph::RankGraph::Posted& posted) {
    const VertexId v = program_.make();
    typename Program::Operation& receive = program_[v];
    receive.vertex = {.value = static_cast<std::int64_t>(posted.bytes),
                      .tag = posting.tag,
                      .origin = posted.origin,
                      .kind = graph::Kind::recv};
    receive.rank = rank.number;
    receive.position = posted.call.position;
    receive.call = posted.call.call;
    receive.serial = ++serials_;
    receive.site = posted.call.site;
    receive.comm = posted.call.comm;
    receive.waiting = 1;  // waits for the call that completes it
    rank.posting.push(v);
    if (posting.peer == trace::kAnySource) {
      throw NotInPiecesError(
          describe(v) + " takes a message from any source, and the trace does not record which");
    }
    const auto source = static_cast<std::uint32_t>(posting.peer);
    receive.peer = source;
    receive.to_itself = source == rank.number;
    receive.link = network_.link(source, rank.number);
    const auto met = channels_.receive({posting.context, source, rank.number}, {posting.tag, v});
    if (met) match(*met, v);
    if (posted.answers) lowering_.posted_after(v, rank.vertex.of(posted.after));
    if (met) {
      Message& message = message_[*met];
      if (message.started) lowering_.sender_started(v, message.start);
      message = {};
      free_messages_.push_back(*met);
    }
    settle();
  }

  void match(std::uint32_t number, VertexId receive) {
    Message& message = message_[number];
    --ranks_[message.source].in_flight;
    meet(message.send, message, receive);
    if (message.send != kNoVertex) program_[message.send].message = Program::kNone;
  }

  /// A message's ends are known: the receive gets the properties of the send.
  void meet(VertexId send, const Message& message, VertexId receive) {
    graph::Vertex& to = program_[receive].vertex;
    if (message.sent.value > to.value) {
      throw InputError(describe(receive) + " takes " + std::to_string(to.value) +
                       " B at most, its message has " + std::to_string(message.sent.value) +
                       " B; the input does not belong to one run, or is damaged");
    }
    to.receives(message.sent);
    to.partner = send;
    if (send != kNoVertex) program_[send].vertex.partner = receive;
    program_[receive].sender = {message.serial, message.call, message.site};
    if constexpr (requires { algebra_.met(receive); }) algebra_.met(receive);
  }

  /// Adds the next vertex of the batch.
  void add(Rank& rank) {
    const graph::RankBuilder::Piece& piece = rank.batch->piece;
    const graph::RankGraph& graph = piece.graph;
    const std::size_t index = rank.vertices++;
    graph::Vertex vertex = graph.vertices[index];
    if (!one_limit_ && vertex.kind == graph::Kind::send) {
      const std::int32_t to = graph.postings.sends[rank.sends].peer;
      const model::ClassId link = network_.link(rank.number, static_cast<std::uint32_t>(to));
      const auto bytes = static_cast<std::uint64_t>(vertex.value);
      if (bytes > network_.eager_limit(link, vertex.immediate)) vertex.synchronous = true;
    }
    const auto number = static_cast<VertexId>(piece.first_vertex + index);
    deps_.clear();
    if (vertex.chained) deps_.push_back({rank.vertex.of(number - 1), graph::DepKind::released});
    for (; rank.deps < graph.dep_end[index]; ++rank.deps) {
      const graph::Dep& dep = graph.deps[rank.deps];
      ++edges_;
      if (dep.kind == graph::DepKind::posted) continue;  // post() reports these
      deps_.push_back({rank.vertex.of(dep.vertex), dep.kind});
    }
    ++vertices_;
    edges_ += vertex.chained ? 1 : 0;
    VertexId v = kNoVertex;
    if (vertex.kind == graph::Kind::recv) {
      const auto& completed = graph.completed[rank.completed++];
      v = rank.posting.of(completed.posting);
      program_[v].completed = true;
      program_[v].vertex.recorded = vertex.recorded;
    } else {
      v = program_.make();
      typename Program::Operation& operation = program_[v];
      operation.vertex = vertex;
      operation.vertex.partner = kNoVertex;
      operation.rank = rank.number;
      operation.position = rank.batch->calls[index].position;
      operation.call = rank.batch->calls[index].call;
      operation.serial = ++serials_;
      operation.site = rank.batch->calls[index].site;
      if (vertex.kind == graph::Kind::send) send(rank, graph.postings.sends[rank.sends++], v);
      if constexpr (requires { algebra_.came(v); }) algebra_.came(v);
    }
    program_[v].number = number;
    rank.vertex.push(v);
    if constexpr (requires { algebra_.comes(v, vertex, rank.batch->calls[index], deps_); }) {
      algebra_.comes(v, vertex, rank.batch->calls[index], deps_);
    }
    lowering_.add(v, deps_);
    settle();
  }

  void send(Rank& rank, const trace::Posting& posting, VertexId v) {
    ++messages_;
    typename Program::Operation& operation = program_[v];
    const auto destination = static_cast<std::uint32_t>(posting.peer);
    bytes_ += static_cast<std::uint64_t>(operation.vertex.value);
    operation.peer = destination;
    operation.to_itself = destination == rank.number;
    operation.link = network_.link(rank.number, destination);
    Message message;
    message.sent = operation.vertex;
    message.source = rank.number;
    message.position = operation.position;
    message.call = operation.call;
    message.site = operation.site;
    message.serial = operation.serial;
    message.send = v;
    auto number = static_cast<std::uint32_t>(message_.size());
    if (!free_messages_.empty()) number = free_messages_.back();
    const auto met =
        channels_.send({posting.context, rank.number, destination}, {posting.tag, number});
    if (met) {
      meet(v, message, *met);
      return;
    }
    if (free_messages_.empty()) {
      message_.emplace_back();
    } else {
      free_messages_.pop_back();
    }
    operation.message = number;
    message_[number] = std::move(message);
    ++rank.in_flight;
  }

  /// Applies the events that have happened since the last call.
  void settle() {
    for (auto& [v, at] : program_.sent()) {
      Message& message = message_[program_[v].message];
      message.started = true;
      message.start = std::move(at);
    }
    program_.sent().clear();
    for (const VertexId v : program_.seen()) {
      Rank& rank = ranks_[program_[v].rank];
      if (rank.state == State::waits && rank.waits_for == v) rank.state = State::goes;
      program_[v].watched = false;
    }
    program_.seen().clear();
  }

  /// Removes operations on which nothing can depend any more.
  void tidy(Rank& rank) {
    const bool at_end = rank.state == State::ended;
    const std::vector<VertexId>& needed = rank.batch->needed;
    auto next_needed = at_end ? needed.end() : needed.begin();
    rank.posting.tidy([&](std::uint32_t, VertexId v) { return !program_[v].completed; });
    rank.vertex.tidy([&](VertexId number, VertexId v) {
      while (next_needed != needed.end() && *next_needed < number) ++next_needed;
      const typename Program::Operation& operation = program_[v];
      if (!operation.released || !operation.ended) return true;
      if (next_needed != needed.end() && *next_needed == number) return true;
      if (operation.message != Program::kNone) message_[operation.message].send = kNoVertex;
      lowering_.retire(v);
      return false;
    });
    rank.kept = std::max(rank.vertex.kept(), needed.size());
  }

  // The following functions report errors in the program.

  void check_all(StreamFound& found) {
    std::vector<const graph::RankTallies*> own;
    std::int64_t ranks_ns = 0;
    for (const Rank& rank : ranks_) {
      own.push_back(&ahead_.tallies(rank.number));
      ranks_ns += rank.batch->ran_ns;
    }
    found.tallies = graph::add_up(own, ranks_ns);
    if (!build_.skip_unsupported) graph::refuse_unsupported(found.tallies);
    meetings_.finish();
    const std::optional<Channels::Left> left = channels_.first_left();
    if (!left) return;
    if (left->sent) {
      const Message& message = message_[left->end.id];
      throw InputError(end_of(message.source, message.position, message.call, true,
                              message.sent.value, message.sent.tag) +
                       " has no matching receive; the input is incomplete or does not belong to "
                       "one run");
    }
    throw InputError(
        describe(left->end.id) +
        " has no matching send; the input is incomplete or does not belong to one run");
  }

  /// Throws because no rank can advance. `all`: all later calls of the ranks are known.
  [[noreturn]] void stuck(bool all) {
    StreamFound ignored;
    if (all) check_all(ignored);
    throw_waits();
  }

  VertexId held(std::uint32_t rank) const;
  /// Throws an error that names the operations that wait for each other.
  [[noreturn]] void throw_waits() const;

  const Pieces& pieces_;
  const graph::BuildOptions& build_;
  const model::Network& network_;
  const bool one_limit_;
  const StreamOptions& options_;
  Algebra& algebra_;
  Lowering<Algebra, Program> lowering_;
  Program& program_;
  Meetings meetings_;
  Channels channels_;
  ReadAhead ahead_;
  std::vector<Rank> ranks_;
  std::vector<Message> message_;
  std::vector<std::uint32_t> free_messages_;
  std::vector<graph::Dep> deps_;
  std::uint64_t serials_ = 0;
  std::uint64_t vertices_ = 0;
  std::uint64_t edges_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t most_held_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t told_ = 0;
};

/// The operation that blocks the rank: a receive without its message, or a send that waits for its
/// receive.
template <class Algebra>
graph::VertexId Streaming<Algebra>::held(std::uint32_t rank) const {
  VertexId found = kNoVertex;
  for (VertexId v = 0; v < program_.places(); ++v) {
    const typename Program::Operation& operation = program_[v];
    const bool receives = operation.vertex.kind == graph::Kind::recv;
    const bool message = receives || operation.vertex.kind == graph::Kind::send;
    if (!message || operation.rank != rank || operation.call == trace::Call::count_) continue;
    if (operation.waiting > 0 || operation.ended || (receives && !operation.completed)) continue;
    if (found == kNoVertex || receives) found = v;
    if (receives) break;
  }
  return found;
}

template <class Algebra>
void Streaming<Algebra>::throw_waits() const {
  constexpr std::size_t kShown = 6;
  std::vector<std::uint32_t> way;
  std::uint32_t at = 0;
  while (at + 1 < ranks_.size() && held(at) == kNoVertex) ++at;
  while (std::ranges::find(way, at) == way.end() && held(at) != kNoVertex) {
    way.push_back(at);
    at = program_[held(at)].peer;
  }
  if (const auto circle = std::ranges::find(way, at); circle != way.end()) {
    way.erase(way.begin(), circle);
  }
  std::string text = "operations wait for each other in a cycle, so none can finish";
  for (std::size_t i = 0; i < std::min(way.size(), kShown); ++i) {
    const typename Program::Operation& operation = program_[held(way[i])];
    const bool sends = operation.vertex.kind == graph::Kind::send;
    text += (i == 0 ? ": [rank " : " ← [rank ") + std::to_string(way[i]) + ": " +
            (sends ? "send " : "recv ") + std::to_string(operation.vertex.value) + " B " +
            (sends ? "to" : "from") + " rank " + std::to_string(operation.peer) + " (" +
            std::string(trace::name_of(operation.call)) + ", line " +
            std::to_string(operation.position) + ")]";
  }
  if (way.size() > kShown) text += " … and " + std::to_string(way.size() - kShown) + " more";
  throw InputError(
      text +
      "; the program deadlocks under this model (a smaller --S makes sends wait, a larger one lets "
      "them go)");
}

}  // namespace latitude::solve
