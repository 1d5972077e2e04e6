#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/loggps.hpp"
#include "core/solve/whole_program.hpp"

namespace latitude::solve {

inline constexpr std::uint32_t kNoHop = std::numeric_limits<std::uint32_t>::max();

/// A duration in the terms of the cost model: ns of computation, and the number of times that each
/// price of a link is paid.
struct Cost {
  double ns = 0;
  double latencies = 0;
  double overheads = 0;
  double bytes = 0;   ///< bytes that pay G
  double copied = 0;  ///< bytes that pay O
  double gaps = 0;    ///< times g
  /// The receive of the message whose prices these are; for an end's own overhead, that end; none
  /// for computation.
  graph::VertexId message = graph::kNoVertex;
  /// A message consists of messages on the wire (0 is the data or the RTS, then the RTR and so on).
  /// `wire` is the first of those that fly in this cost; `posted` has a bit for each of those
  /// posted in it.
  std::uint8_t wire = 0;
  std::uint8_t posted = 0;
  /// For a transfer: `ns` is the recorded network time, and the latencies and bytes are their part
  /// of that time at the recorded network. `hop` is their place, an index into Graph::hops.
  bool recorded = false;
  std::uint32_t hop = kNoHop;
  /// The calc vertex whose computation `ns` is; none otherwise.
  graph::VertexId calc = graph::kNoVertex;
};

/// Whether the send of a message waits for the receive: by either end of the message.
inline bool is_rendezvous(const graph::Vertex& message, const model::LogGPS& network) {
  return message.synchronous ||
         static_cast<std::uint64_t>(message.value) > network.eager_limit(message.immediate);
}

/// Runs the cost model (docs/explanation/model.md) over a graph, once, in topological order. Only
/// this class knows when a vertex may start, and its cost. The Algebra decides the meaning of an
/// instant: a reference into an AffineDag, or a number with its history.
///
/// Algebra: using Instant;  Instant origin();  Instant add(Instant, const Cost&);
///   Instant join(Instant, Instant)            – the later one
///   Instant started(VertexId, Instant), ended(VertexId, Instant)      – may mark the instant
///   void    finished(Instant)                 – nothing waits for this end: T is their maximum
///   Instant entered(VertexId recv, Instant)   – may mark the entry of a message into its
///                                               receiver's NIC (optional; Gap::both only)
///   Instant on_nic(Instant)                   – from here on only the NIC waits (optional)
///   void    awaits(VertexId, Instant)         – before the end of a receive: the start of its
///                                               send; before the end of a rendezvous send: the
///                                               posting of its receive (optional)
/// An Algebra that serves the CPUs (optional) has an Instant that is ordered, and
///   void ready(VertexId, Instant)             – all that it waits for except its CPU is done
///   void arrived(VertexId recv, Instant start, Instant at)  – its message and its start are there
///   void left(VertexId, Instant)              – it leaves its CPU
///   next()                                    – the next event, if any: `vertex` at `instant`, and
///                                               whether it `receives` the arrived message
/// An Algebra that also matches messages which the graph leaves open (optional) sets their partners
/// in the graph, and has
///   void sent(VertexId, Instant), posted(VertexId recv, Instant)  – an open end is there
///   next() also `matches`: `vertex` is an open receive, `instant` the start of its send
/// A message of a rank to itself never crosses the network: it costs only overheads and copying.
///
/// Program: the data of each operation, WholeProgram or one that grows while it runs
/// (kLive, core/solve/stream/live_program.hpp).
template <class Algebra, class Program = WholeProgram>
class Lowering {
 public:
  using Instant = typename Algebra::Instant;

  Lowering(const graph::Graph& graph, const model::LogGPS& network, Algebra& algebra)
      : program_(graph), network_(network), algebra_(algebra) {}

  /// State of a program that grows while it runs, before its first operation.
  Lowering(const model::LogGPS& network, Algebra& algebra)
    requires(Program::kLive)
      : network_(network), algebra_(algebra) {}

  /// Runs the program. InputError names the operations that wait for each other in a cycle.
  void run() {
    prepare();
    const graph::Graph& graph = program_.graph();
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
      for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
        if (program_.waiting(v) == 0) make_ready(v, algebra_.origin());
      }
    }
    if constexpr (kServing) {
      serve_all();
    } else {
      start_all();
    }
    if (ended_ == graph.vertices.size()) return;
    if constexpr (kMatching) algebra_.stuck();
    throw_cycle();
  }

  // The following functions are for programs that grow while they run. Dependencies and postings of
  // receives come in the order of each rank's program.

  Program& program()
    requires(Program::kLive)
  {
    return program_;
  }

  /// Adds an operation that depends on `deps` (not of kind `posted`). It runs as soon as it can,
  /// together with all operations that it enables.
  void add(graph::VertexId v, std::span<const graph::Dep> deps)
    requires(Program::kLive)
  {
    program_.waiting(v) = static_cast<std::uint32_t>(deps.size());
    if (deps.empty()) begin({v, algebra_.origin()});
    for (const graph::Dep& dep : deps) {
      const Instant* const known = program_.depend(v, dep);
      if (known == nullptr) continue;
      if (deps.size() == 1) {
        program_.waiting(v) = 0;
        begin({v, *known});
      } else {
        deliver(v, *known, dep.vertex);
      }
    }
    start_all();
  }

  /// The receive, which is added when a call completes it, is posted after this operation.
  void posted_after(graph::VertexId recv, graph::VertexId before)
    requires(Program::kLive)
  {
    slot_of(recv).posted_left = 1;
    const Instant* const known = program_.depend(recv, {before, DepKind::posted});
    if (known != nullptr) deliver_posted(recv, *known);
    start_all();
  }

  /// The sender of the message for `recv` is now known, and its send has started.
  void sender_started(graph::VertexId recv, const Instant& at)
    requires(Program::kLive)
  {
    give_sender(recv, at);
    start_all();
  }

  /// No later operation depends on v, which has ended.
  void retire(graph::VertexId v)
    requires(Program::kLive)
  {
    if (!program_.waited_for(v, releases_at_end(program_.vertex(v)))) {
      algebra_.finished(program_.end(v));
    }
    program_.remove(v);
  }

 private:
  using VertexId = graph::VertexId;
  using Vertex = graph::Vertex;
  using DepKind = graph::DepKind;
  using Kind = graph::Kind;

  struct Ready {
    VertexId vertex = graph::kNoVertex;
    Instant instant{};
  };

  /// The algebra decides when each operation gets its CPU, and in what order; `served` has no
  /// effect.
  static constexpr bool kServing = requires(Algebra& algebra) { algebra.next(); };

  static constexpr bool kTellsAwaited =
      requires(Algebra& algebra) { algebra.awaits(graph::VertexId{}, Instant{}); };

  static constexpr bool kMatching =
      requires(Algebra& algebra) { algebra.sent(graph::VertexId{}, Instant{}); };

  /// State of a vertex that cannot start yet, or of a receive that cannot end yet.
  struct Known {
    bool has_start = false, started = false;
    bool has_posted = false, posted_done = false;
    bool has_sender = false, matched = false;
    bool has_entry = false, has_turn = false, entered = false;
    bool takes_turns = false, others_done = false;  ///< receive: also waits for its CPU
    bool has_cpu = false, asked = false;
    std::uint32_t posted_left = 0;
    std::uint32_t served_left = 0;
    VertexId first = graph::kNoVertex;  ///< the predecessor that `start` belongs to, in program
                                        ///< order
    std::uint32_t joined = 0;  ///< number in `start` of predecessors that can be joined in order
  };
  struct Waiting : Known {
    Instant start{};   ///< end of the first local predecessor that is done; later, of all
    Instant posted{};  ///< receive: may match from here on
    Instant sender{};  ///< receive: start of the matching send
    std::vector<std::pair<VertexId, Instant>>
        rest{};  ///< ends of the other predecessors, while some are missing

    void clear() {
      static_cast<Known&>(*this) = {};
      start = posted = sender = {};
      rest.clear();
    }
  };

  /// Further state, if receives take turns.
  struct Turns {
    Instant entry{};  ///< Gap::both: the time at which the NIC is free for its message; then, its
                      ///< entry
    Instant cpu{};    ///< the CPU has left its predecessor
  };

  using Successor = typename Program::Successor;

  static constexpr std::uint32_t kNoSlot = Program::kNoSlot;
  /// Slots from here on are places in `halves_`: only the sender of the receive is known so far. A
  /// collective may have one for each pair of ranks.
  static constexpr std::uint32_t kSender = 0x80000000U;
  /// Marks a slot for which only the receive's own start is known, and the receive is posted.
  static constexpr std::uint32_t kStarted = 0xc0000000U;
  static constexpr bool kHalvesApart = !Program::kLive && !kServing && !kMatching;

  bool rendezvous(const Vertex& message) const { return is_rendezvous(message, network_); }

  /// The CPU is released no earlier than the end.
  bool releases_at_end(const Vertex& vertex) const {
    return vertex.kind != Kind::send || vertex.blocking || !rendezvous(vertex);
  }

  void make_ready(VertexId v, const Instant& at) {
    if constexpr (kServing) {
      algebra_.ready(v, at);
    } else {
      ready_.push_back({v, at});
    }
  }

  void start_all() {
    while (!ready_.empty()) {
      Ready next = std::move(ready_.front());
      ready_.pop_front();
      begin(next);
      while (next_.vertex != graph::kNoVertex) {  // run ahead along the rank's chain
        next = std::exchange(next_, Ready{});
        begin(next);
      }
    }
  }

  void begin(const Ready& ready) {
    if constexpr (!Program::kLive) program_.comes_to(ready.vertex);
    const Waiting* const slot = known(ready.vertex);
    if (slot != nullptr && slot->takes_turns && !slot->others_done) {
      post(ready.vertex, ready.instant);
    } else {
      start(ready.vertex, ready.instant);
    }
    advance_turns();
  }

  void serve_all() {
    while (const auto served = algebra_.next()) {
      if (matched_now(*served)) {
        give_sender(served->vertex, served->instant);
      } else if (served->receives) {
        receive(served->vertex, served->instant);
      } else {
        start(served->vertex, served->instant);
      }
      advance_turns();
      if (next_.vertex != graph::kNoVertex) make_ready(next_.vertex, next_.instant);
      next_.vertex = graph::kNoVertex;
    }
  }

  template <class Next>
  static bool matched_now(const Next& next) {
    if constexpr (kMatching) return next.matches;
    return false;
  }

  /// The send that starts at `sender` has become the partner of a receive.
  void give_sender(VertexId recv, const Instant& sender) {
    if constexpr (kMatching) {
      const VertexId send = program_.vertex(recv).partner;
      if (program_.graph().rank_of(send) == program_.graph().rank_of(recv)) {
        program_.mark_to_itself(send);
        program_.mark_to_itself(recv);
      }
    }
    Waiting& slot = slot_of(recv);
    slot.sender = sender;
    slot.has_sender = true;
    advance(recv);
  }

  /// A receive may match from now on.
  void posted(VertexId recv, const Instant& at) {
    if constexpr (kMatching) {
      if (program_.vertex(recv).partner == graph::kNoVertex) algebra_.posted(recv, at);
    }
  }

  void prepare() {
    program_.prepare();
    const graph::Graph& graph = program_.graph();
    std::size_t next = 0;  // dependency
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
      const VertexId begin = graph.rank_begin[rank];
      const VertexId end = graph.rank_begin[rank + 1];
      for (VertexId v = begin; v < end; ++v) {
        if (graph.vertices[v].chained) ++program_.waiting(v);
        for (const std::size_t last = graph.dep_begin[v + 1]; next < last; ++next) {
          const graph::Dep& dep = graph.deps[next];
          if (dep.kind == DepKind::posted) continue;  // slot_of() counts these
          if (dep.kind != DepKind::served) {
            ++program_.waiting(v);
          } else if (!kServing) {
            const bool receives = graph.vertices[v].kind == Kind::recv;
            if (receives) {
              slot_of(v).takes_turns = true;
              ++slot_of(v).served_left;
            } else {
              ++program_.waiting(v);
            }
          }
        }
        const VertexId partner = graph.vertices[v].partner;
        if (partner >= begin && partner < end) program_.mark_to_itself(v);
      }
    }
    prepare_gaps();
  }

  bool to_itself(VertexId v) const { return program_.to_itself(v); }

  /// With a gap, each send on a NIC of a rank waits for the send before it in program order.
  /// Messages that enter through the NIC wait for each other in the order of their receives.
  /// Messages of a rank to itself take no NIC.
  void prepare_gaps() {
    if (network_.gap == model::Gap::none) return;
    const graph::Graph& graph = program_.graph();
    std::vector<VertexId>& next_in_turn = program_.turns();
    next_in_turn.assign(graph.vertices.size(), graph::kNoVertex);
    const graph::Numbering nics = graph::numbering(graph.units, &graph::Unit::nic);
    std::vector<VertexId> last_send(nics.count,
                                    graph::kNoVertex);  // by NIC: last send of any rank so far
    std::vector<VertexId> last_recv(nics.count, graph::kNoVertex);
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
      const VertexId begin = graph.rank_begin[rank];
      const auto is_here = [&](VertexId v) { return v != graph::kNoVertex && v >= begin; };
      for (VertexId v = begin; v < graph.rank_begin[rank + 1]; ++v) {
        const Vertex& vertex = program_.vertex(v);
        const std::uint32_t nic = nics.of_unit[vertex.unit];
        if (vertex.kind == Kind::send && !to_itself(v)) {
          if (is_here(last_send[nic])) {
            next_in_turn[last_send[nic]] = v;
            ++program_.waiting(v);
          }
          last_send[nic] = v;
        } else if (vertex.kind == Kind::recv && in_turn(v)) {
          if (is_here(last_recv[nic])) {
            next_in_turn[last_recv[nic]] = v;
          } else {
            slot_of(v).has_turn = true;
          }
          last_recv[nic] = v;
        }
      }
    }
  }

  /// The message of `recv` enters its rank after the one before it.
  bool in_turn(VertexId recv) const { return network_.gap == model::Gap::both && !to_itself(recv); }

  void give_turn(VertexId recv, const Instant& from) {
    Waiting& slot = slot_of(recv);
    turns_of(recv).entry = from;
    slot.has_entry = true;
    slot.has_turn = true;
  }

  /// The time at which a NIC that a message has taken at `at` is free again: max(g, bytes · G)
  /// later.
  Instant free_again(Instant at, double bytes, VertexId message) {
    if constexpr (requires { algebra_.on_nic(at); }) at = algebra_.on_nic(at);
    const Instant after_bytes = algebra_.add(at, {.bytes = bytes, .message = message});
    const Instant after_gap = algebra_.add(at, {.gaps = 1, .message = message});
    return bytes == 0 ? after_gap : algebra_.join(after_bytes, after_gap);
  }

  Waiting& slot_of(VertexId v) {
    const std::uint32_t before = program_.slot(v);
    if (before < kSender) return slots_[before];
    if (free_.empty()) {
      program_.slot(v) = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      program_.slot(v) = free_.back();
      free_.pop_back();
      slots_[program_.slot(v)].clear();
    }
    Waiting& slot = slots_[program_.slot(v)];
    if (program_.vertex(v).kind == Kind::recv) slot.posted_left = program_.postings_of(v);
    if (before != kNoSlot) {
      slot.sender = take_half(before);
      slot.has_sender = true;
    }
    return slot;
  }

  /// The slot of a receive, if more than its sender is known.
  const Waiting* known(VertexId v) {
    const std::uint32_t slot = program_.slot(v);
    return slot < kSender ? &slots_[slot] : nullptr;
  }

  bool has_start(VertexId v) {
    const Waiting* const slot = known(v);
    return slot != nullptr && slot->has_start;
  }

  /// The Turns of a vertex that has a slot.
  Turns& turns_of(VertexId v) {
    const std::uint32_t slot = program_.slot(v);
    if (slot >= turn_.size()) turn_.resize(slots_.size());
    return turn_[slot];
  }

  /// Keeps the only known time of a receive: the start of its send (kSender) or its own (kStarted).
  void keep_half(VertexId recv, std::uint32_t kind, const Instant& at) {
    if (free_halves_.empty()) {
      program_.slot(recv) = kind + static_cast<std::uint32_t>(halves_.size());
      halves_.push_back(at);
    } else {
      program_.slot(recv) = kind + free_halves_.back();
      halves_[free_halves_.back()] = at;
      free_halves_.pop_back();
    }
  }

  /// The time that a slot with such a place keeps. The place is free afterwards.
  Instant take_half(std::uint32_t slot) {
    const std::uint32_t place = slot & ~kStarted;
    free_halves_.push_back(place);
    return halves_[place];
  }

  /// Whether a receive waits for nothing but its own start and its send's start.
  bool meets_at_once(VertexId recv, const Vertex& message) const {
    return kHalvesApart && !rendezvous(message) && !in_turn(recv);
  }

  void release_slot(VertexId v) {
    free_.push_back(program_.slot(v));
    program_.slot(v) = kNoSlot;
  }

  /// The local predecessor `before` of v is done.
  void deliver(VertexId v, const Instant& instant, VertexId before) {
    if (--program_.waiting(v) == 0 && !has_start(v)) {
      make_ready(v, instant);
      return;
    }
    Waiting& slot = slot_of(v);
    if (!slot.has_start) {
      slot.start = instant;
      slot.first = program_.order(before);
      slot.has_start = true;
      slot.joined = joined_in_order(v, 0, before);
      return;
    }
    const bool all = program_.waiting(v) == 0;
    const std::uint32_t joined = slot.joined > 0 ? joined_in_order(v, slot.joined, before) : 0;
    if ((all && slot.rest.empty()) || joined > 0) {
      // If two are equally late, the first in program order counts, whichever ended first.
      const bool later = joined > 0 || slot.first <= program_.order(before);
      slot.start = later ? algebra_.join(slot.start, instant) : algebra_.join(instant, slot.start);
      if (joined > 0) slot.joined = joined;
      if (all && !slot.rest.empty()) join_all(slot);
    } else {
      slot.rest.emplace_back(program_.order(before), instant);
      if (all) join_all(slot);
    }
    if (all) {
      const Instant latest = slot.start;
      if (program_.vertex(v).kind != Kind::recv) release_slot(v);
      make_ready(v, latest);
    }
  }

  /// The number of dependencies of v, from the first in program order on, that `start` contains
  /// after joining the dependency on `before` to the earlier `joined`. 0 if dependencies are joined
  /// only when all are known. Very many dependencies are joined as they come, if they come in
  /// order, because storing them takes memory: a linear MPI_Alltoall has as many dependencies as
  /// messages.
  std::uint32_t joined_in_order([[maybe_unused]] VertexId v, [[maybe_unused]] std::uint32_t joined,
                                [[maybe_unused]] VertexId before) {
    if constexpr (!Program::kLive) {
      static constexpr std::size_t kMany = 16;
      if (joined == 0 && program_.waiting(v) + 1U < kMany)
        return 0;  // fewer than kMany are missing
      const std::span<const graph::Dep> deps = program_.graph().deps_of(v);
      if (deps.size() < kMany || joined >= deps.size() || deps[joined].vertex != before) return 0;
      if (joined > 0 || can_join_in_order(deps)) return joined + 1;
    }
    return 0;
  }

  /// Whether dependencies are in the order of the program, and all others come after them.
  bool can_join_in_order(std::span<const graph::Dep> deps) const {
    const auto is_plain = [](const graph::Dep& dep) {
      return dep.kind != DepKind::posted && dep.kind != DepKind::served;
    };
    const auto not_rising = std::ranges::greater_equal();
    return network_.gap == model::Gap::none && std::ranges::all_of(deps, is_plain) &&
           std::ranges::adjacent_find(deps, not_rising, &graph::Dep::vertex) == deps.end();
  }

  /// Joins more than two instants, also in program order, because another nesting of joins rounds
  /// differently.
  void join_all(Waiting& slot) {
    const auto number = &std::pair<VertexId, Instant>::first;
    if (slot.first > slot.rest.front().first || !std::ranges::is_sorted(slot.rest, {}, number)) {
      slot.rest.emplace(slot.rest.begin(), slot.first, slot.start);
      std::ranges::stable_sort(slot.rest, {}, number);
      slot.start = slot.rest.front().second;
      slot.rest.erase(slot.rest.begin());
    }
    for (const auto& [before, instant] : slot.rest) {
      slot.start = algebra_.join(slot.start, instant);
    }
    slot.rest.clear();
  }

  /// The CPU has left the predecessor of v.
  void deliver_cpu(VertexId v, const Instant& instant, VertexId before) {
    if (program_.vertex(v).kind != Kind::recv) {
      deliver(v, instant, before);
      return;
    }
    Waiting& slot = slot_of(v);
    Instant& cpu = turns_of(v).cpu;
    cpu = slot.has_cpu ? algebra_.join(cpu, instant) : instant;
    slot.has_cpu = true;
    if (--slot.served_left == 0 && slot.others_done) {
      make_ready(v, algebra_.join(slot.start, cpu));
    }
  }

  /// A receive has all that it waits for, except its CPU.
  void post(VertexId recv, const Instant& at) {
    Waiting& slot = slot_of(recv);
    slot.others_done = true;
    slot.start = at;
    slot.has_start = true;
    if (slot.posted_left == 0 && !slot.has_posted) {
      slot.posted = at;
      slot.posted_done = true;
    }
    const bool served = slot.served_left == 0;
    if (served) make_ready(recv, algebra_.join(at, turns_of(recv).cpu));
    notify(recv, at, [](DepKind kind) { return kind == DepKind::requires_start; });
    if (!served) advance(recv);
  }

  void deliver_posted(VertexId recv, const Instant& instant) {
    if constexpr (kHalvesApart) {
      if (!rendezvous(program_.vertex(recv))) return;  // no operation waits for it
    }
    Waiting& slot = slot_of(recv);
    slot.posted = slot.has_posted ? algebra_.join(slot.posted, instant) : instant;
    slot.has_posted = true;
    if (--slot.posted_left == 0) {
      slot.posted_done = true;
      posted(recv, slot.posted);
      advance(recv);
    }
  }

  template <class Wanted>
  void notify(VertexId v, const Instant& instant, Wanted wanted) {
    program_.each_successor(v, [&](const Successor& s) {
      if (!wanted(s.kind)) return;
      if (s.kind == DepKind::posted) {
        deliver_posted(s.vertex, instant);
      } else if (s.kind == DepKind::served) {
        if constexpr (!kServing) deliver_cpu(s.vertex, instant, v);
      } else {
        deliver(s.vertex, instant, v);
      }
    });
  }

  void start(VertexId v, const Instant& from) {
    const Vertex& vertex = program_.vertex(v);
    const Instant& at = algebra_.started(v, from);
    const Waiting* const known_slot = known(v);
    if (program_.starts_matter() && (known_slot == nullptr || !known_slot->takes_turns)) {
      notify(v, at, [](DepKind kind) { return kind == DepKind::requires_start; });
    }
    switch (vertex.kind) {
      case Kind::calc: {
        Cost cost{.ns = static_cast<double>(vertex.value)};
        if (vertex.computes()) {
          cost.ns *= network_.compute_scale;
          cost.calc = v;
        }
        const Instant end = algebra_.ended(v, algebra_.add(at, cost));
        released(v, end);
        ended(v, end);
        break;
      }
      case Kind::transfer: {
        if constexpr (!Program::kLive) {  // traces have none
          const Instant end = algebra_.ended(v, transferred(vertex, at));
          released(v, end);
          ended(v, end);
        }
        break;
      }
      case Kind::send:
        send(v, vertex, at);
        break;
      case Kind::recv: {
        if (meets_at_once(v, vertex) && known_slot == nullptr) {
          const std::uint32_t half = program_.slot(v);
          if (half == kNoSlot) {
            keep_half(v, kStarted, at);
          } else {
            meet(v, at, take_half(half));
          }
          break;
        }
        Waiting& slot = slot_of(v);
        slot.start = at;
        slot.started = true;
        if (!slot.posted_done && slot.posted_left == 0 && !slot.has_posted) {
          slot.posted = at;
          slot.posted_done = true;
          posted(v, at);
        }
        advance(v);
        break;
      }
    }
  }

  /// The end of a transfer. Beyond the recorded network it pays the price of the additional latency
  /// and bytes; without a recorded time, all of the price. On a faster network its duration is at
  /// least 0.
  Instant transferred(const Vertex& vertex, const Instant& at)
    requires(!Program::kLive)
  {
    const graph::Graph& graph = program_.graph();
    const graph::Transfer& transfer = graph.transfers[static_cast<std::size_t>(vertex.tag)];
    const bool recorded = vertex.value > 0;
    Instant end = algebra_.add(at, {.ns = static_cast<double>(vertex.value), .recorded = recorded});
    for (std::uint32_t i = transfer.first_hop; i < transfer.first_hop + transfer.hops; ++i) {
      const double times = graph.hops[i].times;
      end = algebra_.add(
          end,
          {.latencies = times, .bytes = times * transfer.bytes, .recorded = recorded, .hop = i});
    }
    return algebra_.join(at, end);
  }

  void send(VertexId v, const Vertex& vertex, const Instant& at) {
    const double bytes = model::gap_bytes(vertex.value);
    if constexpr (!Program::kLive) {
      if (network_.gap != model::Gap::none && program_.next_in_turn(v) != graph::kNoVertex) {
        deliver(program_.next_in_turn(v), free_again(at, bytes, v), v);
      }
    }
    Instant release = algebra_.add(at, own_overhead(v));
    if (rendezvous(vertex)) {
      if (!vertex.blocking) released(v, release);
    } else {
      release = algebra_.ended(v, std::move(release));
      released(v, release);
      ended(v, release);
    }
    if constexpr (kMatching) {
      if (vertex.partner == graph::kNoVertex) {
        algebra_.sent(v, at);
        return;
      }
    }
    if constexpr (Program::kLive) {
      if (vertex.partner == graph::kNoVertex) {  // the receive has not been read yet
        program_.sent(v, at);
        return;
      }
    }
    if constexpr (kHalvesApart) {
      const std::uint32_t half = program_.slot(vertex.partner);
      if (half == kNoSlot) {
        if (!rendezvous(vertex)) return keep_half(vertex.partner, kSender, at);
      } else if (half >= kStarted) {
        return meet(vertex.partner, take_half(half), at);
      }
    }
    Waiting& slot = slot_of(vertex.partner);
    slot.sender = at;
    slot.has_sender = true;
    advance(vertex.partner);
  }

  /// Ends a receive that has waited only for its start or for its sender.
  void meet(VertexId recv, const Instant& started, const Instant& sender) {
    const double bytes = model::gap_bytes(program_.vertex(recv).value);
    const Cost message = cost_of(model::kMessage, recv, bytes, 0);
    program_.slot(recv) = kNoSlot;
    end_of_receive(recv, algebra_.join(started, algebra_.add(sender, message)));
  }

  /// Ends the receive, and a rendezvous send, as soon as all that they wait for is known.
  void advance(VertexId recv) {
    const Waiting& slot = slots_[program_.slot(recv)];
    if (!slot.has_sender) return;
    const Vertex& vertex = program_.vertex(recv);
    const double bytes = model::gap_bytes(vertex.value);
    const Cost message = cost_of(model::kMessage, recv, bytes, 0);
    const Instant sender = slot.sender;  // `slot` may move when other operations get their turn
    if (!rendezvous(vertex)) {
      if (enter(recv, sender, message)) end_receive(recv, arrival(recv, sender, message));
      return;
    }
    const model::Rendezvous reading = rendezvous_of(recv);
    const model::Protocol& protocol = model::protocol_of(reading);
    const bool sync = reading == model::Rendezvous::sync;
    const bool entered = sync && enter(recv, sender, message);
    if (!slots_[program_.slot(recv)].posted_done) return;
    match(recv, bytes, protocol);
    const Instant matched = slots_[program_.slot(recv)].posted;
    if (sync) {
      if (!entered) return;
      const bool again = in_turn(recv);  // if not, the match contains the message
      end_receive(recv, again ? algebra_.join(matched, arrival(recv, sender, message)) : matched);
      return;
    }
    const Cost data = cost_of(protocol.data, recv, bytes, 1);
    if (!enter(recv, matched, data)) return;
    const auto after = static_cast<std::uint8_t>(1 + protocol.data.latencies);
    end_receive(recv, arrival(recv, matched, data, cost_of(protocol.notice, recv, 0, after)));
  }

  /// The message of `recv`, on its `way` since `from`, enters the receiver, and the next one may
  /// enter; false if its turn has not come.
  bool enter(VertexId recv, const Instant& from, Cost way) {
    if (!in_turn(recv)) return true;
    Waiting& slot = slots_[program_.slot(recv)];
    if (slot.entered) return true;
    if (!slot.has_turn) return false;
    const double bytes = std::exchange(way.bytes, 0);
    Instant entry = algebra_.add(from, way);
    if (slot.has_entry) entry = algebra_.join(turns_of(recv).entry, entry);
    if constexpr (requires { algebra_.entered(recv, entry); }) {
      entry = algebra_.entered(recv, entry);
    }
    turns_of(recv).entry = entry;
    slot.entered = true;
    if constexpr (!Program::kLive) {
      const VertexId next = program_.next_in_turn(recv);
      if (next != graph::kNoVertex) {
        give_turn(next, free_again(entry, bytes, recv));
        if (slots_[program_.slot(next)].has_sender) turns_.push_back(next);
      }
    }
    return true;
  }

  /// Lets messages enter that waited for another message. `turns_` is a list, because a recursion
  /// might be a million deep.
  void advance_turns() {
    while (!turns_.empty()) {
      const VertexId recv = turns_.back();
      turns_.pop_back();
      if (program_.slot(recv) != kNoSlot)
        advance(recv);  // if not, the operation before its posting has ended it
    }
  }

  /// The instant at which a message that has entered, or that is on its `way` since `from`, is
  /// completely there, and the receiver has its FIN.
  Instant arrival(VertexId recv, const Instant& from, const Cost& way, Cost notice = {}) {
    if (in_turn(recv)) {
      notice.bytes = way.bytes;
      notice.message = way.message;
      return algebra_.add(turns_of(recv).entry, notice);
    }
    Cost whole = way;
    whole.latencies += notice.latencies;
    whole.overheads += notice.overheads;
    whole.posted = static_cast<std::uint8_t>(whole.posted | notice.posted);
    return algebra_.add(from, whole);
  }

  /// A rendezvous matches once: when the RTS (in `sync` the message itself) has arrived and the
  /// receive is posted. `posted` stores the match.
  void match(VertexId recv, double bytes, const model::Protocol& protocol) {
    Waiting& slot = slots_[program_.slot(recv)];
    if (std::exchange(slot.matched, true)) return;
    const VertexId send = program_.vertex(recv).partner;
    if constexpr (kTellsAwaited) algebra_.awaits(send, slot.posted);
    const Cost request = cost_of(protocol.request, recv, bytes, 0);
    slot.posted = algebra_.join(algebra_.add(slot.sender, request), slot.posted);
    const Cost rest = cost_of(protocol.sender, recv, bytes, 1);
    const Instant end =
        algebra_.ended(send, send_end(send, slot.sender, algebra_.add(slot.posted, rest)));
    // `slot` may move while others are notified: do not use it after this line.
    if (program_.vertex(send).blocking) released(send, end);
    ended(send, end);
  }

  /// The end of a rendezvous send with O. A blocking send pays O for the data at its end; any other
  /// send (and all sends in `sync`, in which the data leave at once) pays O at its posting.
  Instant send_end(VertexId send, const Instant& started, const Instant& end) {
    Cost own = own_overhead(send);
    if (rendezvous_of(send) == model::Rendezvous::sync) {
      return algebra_.join(end, algebra_.add(started, own));
    }
    own.overheads = 0;
    return program_.vertex(send).blocking ? algebra_.add(end, own) : end;
  }

  /// CPU time of a message at one of its ends.
  Cost own_overhead(VertexId end) const {
    const Vertex& message = program_.vertex(end);
    if (message.recorded) return {};
    return {.overheads = 1, .copied = model::gap_bytes(message.value), .message = end};
  }

  /// The rendezvous protocol of a message, by either end: two calls of one rank need no handshake.
  model::Rendezvous rendezvous_of(VertexId v) const {
    return to_itself(v) ? model::Rendezvous::sync : network_.rendezvous;
  }

  /// The cost of a stretch of the message that `recv` receives; the first message on the wire in it
  /// is `wire`. All prices of flying messages are set here; a message to the rank itself has none.
  Cost cost_of(const model::Stretch& stretch, VertexId recv, double bytes,
               std::uint8_t wire) const {
    double overheads = static_cast<double>(stretch.overheads);
    // The sender's own overhead is the first of these overheads.
    if (wire == 0 && overheads > 0 && program_.vertex(recv).sent_recorded) --overheads;
    if (to_itself(recv)) return {.overheads = overheads, .message = recv};
    return {.latencies = static_cast<double>(stretch.latencies),
            .overheads = overheads,
            .bytes = stretch.bodies * bytes,
            .message = recv,
            .wire = wire,
            .posted = stretch.posted};
  }

  /// Ends the receive whose message arrives at `at`, if the CPU has reached it.
  void end_receive(VertexId recv, const Instant& at) {
    Waiting& slot = slots_[program_.slot(recv)];
    if (!slot.started) return;
    if constexpr (kTellsAwaited) algebra_.awaits(recv, slot.sender);
    if constexpr (kServing) {
      if (!std::exchange(slot.asked, true)) algebra_.arrived(recv, slot.start, at);
    } else {
      receive(recv, algebra_.join(slot.start, at));
    }
  }

  /// The CPU receives a message that has arrived.
  void receive(VertexId recv, const Instant& at) {
    release_slot(recv);
    end_of_receive(recv, at);
  }

  void end_of_receive(VertexId recv, const Instant& at) {
    const Instant end = algebra_.ended(recv, algebra_.add(at, own_overhead(recv)));
    released(recv, end);
    ended(recv, end);
  }

  /// The CPU is free after v.
  void released(VertexId v, const Instant& instant) {
    if constexpr (kServing) algebra_.left(v, instant);
    if constexpr (Program::kLive) program_.released(v, instant);
    notify(v, instant, [](DepKind kind) {
      return kind == DepKind::released || kind == DepKind::posted || kind == DepKind::served;
    });
    if constexpr (!Program::kLive) {  // if live, notify() visits the next vertex of the chain
      const VertexId after = program_.after(v);
      if (after == graph::kNoVertex) return;
      if (program_.waiting(after) == 1 && !has_start(after) && next_.vertex == graph::kNoVertex) {
        program_.waiting(after) = 0;
        next_ = {after, instant};
      } else {
        deliver(after, instant, v);
      }
    }
  }

  void ended(VertexId v, const Instant& instant) {
    ++ended_;
    if constexpr (Program::kLive) program_.ended(v, instant);
    notify(v, instant, [](DepKind kind) { return kind == DepKind::requires_end; });
    if constexpr (!Program::kLive) {
      if (!waited_for(v)) algebra_.finished(instant);
    }
  }

  /// True if a later operation starts no earlier than the end of v.
  bool waited_for(VertexId v) const {
    const Vertex& vertex = program_.vertex(v);
    const bool release_is_end = releases_at_end(vertex);
    if (release_is_end && program_.after(v) != graph::kNoVertex) return true;
    bool waited = false;
    program_.each_successor(v, [&](const Successor& s) {
      const bool follows = s.kind == DepKind::released || (s.kind == DepKind::served && !kServing);
      waited = waited || s.kind == DepKind::requires_end || (follows && release_is_end);
    });
    return waited;
  }

  [[noreturn]] void throw_cycle();

  Program program_;
  const model::LogGPS& network_;
  Algebra& algebra_;
  std::vector<Waiting> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Turns> turn_;     ///< by slot, if requested
  std::deque<Instant> halves_;  ///< no vector, which exists twice while it grows
  std::vector<std::uint32_t> free_halves_;
  std::vector<VertexId> turns_;  ///< receives whose turn has come
  std::deque<Ready> ready_;
  Ready next_;
  std::size_t ended_ = 0;
};

/// "rank 1: recv 8 B from rank 0, line 12 (MPI_Recv)": for messages about one operation.
std::string describe(const graph::Graph& graph, graph::VertexId v);

/// Throws CycleError about a cycle of waiting operations, from the operation `from` on.
/// `waits_for[v]` is the operation for which v waits, or kNoVertex.
[[noreturn]] void throw_cycle(const graph::Graph& graph, graph::VertexId from,
                              const std::vector<graph::VertexId>& waits_for, model::Gap gap);

template <class Algebra, class Program>
void Lowering<Algebra, Program>::throw_cycle() {
  // A vertex that has not started, or has started and not ended, waits for exactly the missing
  // instants.
  const graph::Graph& graph = program_.graph();
  const std::size_t n = graph.vertices.size();
  std::vector<VertexId> waits_for(n, graph::kNoVertex);
  VertexId from = graph::kNoVertex;
  const auto stuck = [&](VertexId v) {
    return program_.waiting(v) != 0 ||
           (program_.slot(v) != kNoSlot && program_.vertex(v).kind == Kind::recv);
  };
  for (VertexId v = 0; v < n; ++v) {
    const Vertex& vertex = program_.vertex(v);
    if (!stuck(v)) continue;
    from = v;
    if (program_.waiting(v) != 0) {
      if (vertex.chained) {
        const Vertex& before = program_.vertex(v - 1);
        const bool blocked = before.kind == Kind::send && rendezvous(before) && !stuck(v - 1);
        waits_for[v] = blocked ? before.partner : v - 1;
      }
      for (const graph::Dep& dep : graph.deps_of(v)) {
        const Vertex& before = program_.vertex(dep.vertex);
        const bool unfinished_send = before.kind == Kind::send && rendezvous(before) &&
                                     dep.kind == DepKind::requires_end && stuck(before.partner);
        if (dep.kind == DepKind::posted) continue;
        if (stuck(dep.vertex)) waits_for[v] = dep.vertex;
        if (unfinished_send) waits_for[v] = before.partner;
      }
    } else {
      waits_for[v] = vertex.partner;
      for (const graph::Dep& dep : graph.deps_of(v)) {
        const bool held = dep.kind == DepKind::served && stuck(dep.vertex);
        if (held && !stuck(vertex.partner)) waits_for[v] = dep.vertex;
      }
    }
  }
  for (VertexId v = 0; v < program_.turns().size(); ++v) {
    const VertexId after = program_.next_in_turn(v);
    if (after == graph::kNoVertex || !stuck(v) || !stuck(after)) continue;
    if (program_.vertex(v).kind == Kind::send) {
      waits_for[after] = v;
    } else if (slot_of(after).has_sender && !slot_of(after).has_turn) {
      waits_for[after] = slot_of(v).has_sender ? v : program_.vertex(v).partner;
    }
  }
  solve::throw_cycle(graph, from, waits_for, network_.gap);
}

}  // namespace latitude::solve
