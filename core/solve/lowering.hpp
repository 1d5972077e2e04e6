#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/loggps.hpp"

namespace latitude::solve {

/// A duration in the terms of the cost model: ns of computation, latencies, overheads, bytes.
struct Cost {
  double ns = 0;
  double latencies = 0;
  double overheads = 0;
  double bytes = 0;  ///< bytes paid for at G
  /// The receive of the message whose latencies and bytes these are; none for computation.
  graph::VertexId message = graph::kNoVertex;
  /// Of the messages on the wire that make up this message (0 the data or the request, then the
  /// answer and so on): the first of those that fly here, and those posted here, a bit each.
  std::uint8_t wire = 0;
  std::uint8_t posted = 0;
  /// The calc vertex whose computation `ns` is; none otherwise.
  graph::VertexId calc = graph::kNoVertex;
};

/// Runs the cost model of docs/model.md over an execution graph, once, in topological order.
/// This is the only place that knows when a vertex may start and what it costs; what an instant
/// *is* belongs to the Algebra: a reference into an AffineDag, or a number with its history.
///
/// Algebra: using Instant;  Instant origin();  Instant add(Instant, const Cost&);
///   Instant join(Instant, Instant)            – the later one
///   Instant started(VertexId, Instant), ended(VertexId, Instant)      – may mark the instant
///   void    finished(Instant)                 – nothing waits for this end: T is their maximum
///   Instant entered(VertexId recv, Instant)   – may mark where a message enters its receiver's
///                                               NIC (optional; asked with Gap::both only)
///   Instant on_nic(Instant)                   – what from here on only the NIC waits for
///   (optional)
/// An Algebra that serves the CPUs (optional) has an Instant that is ordered, and
///   void ready(VertexId, Instant)             – all that it waits for but its CPU is done
///   void arrived(VertexId recv, Instant start, Instant at)  – its message is there, so is its
///   start void left(VertexId, Instant)              – it leaves its CPU next()      – what comes
///   next, if anything: `vertex` at `instant`, and whether it `receives`
///                 the message that has arrived
/// One of these that matches messages which the graph leaves open (optional) sets their partners in
/// the graph, and has
///   void sent(VertexId, Instant), posted(VertexId recv, Instant)  – an open end is there
///   next() `matches`, too: `vertex` is an open receive, `instant` the start of its send
/// A message of a rank to itself is never on the wire: its costs name no message.
template <class Algebra>
class Lowering {
 public:
  using Instant = typename Algebra::Instant;

  Lowering(const graph::Graph& graph, const model::LogGPS& network, Algebra& algebra)
      : graph_(graph), network_(network), algebra_(algebra) {}

  /// InputError when operations wait for each other in a circle, naming them.
  void run() {
    prepare();
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      for (VertexId v = graph_.rank_begin[rank]; v < graph_.rank_begin[rank + 1]; ++v) {
        if (waiting_[v] == 0) make_ready(v, algebra_.origin());
      }
    }
    if constexpr (kServing) {
      serve_all();
    } else {
      start_all();
    }
    if (ended_ == graph_.vertices.size()) return;
    if constexpr (kMatching) algebra_.stuck();
    throw_cycle();
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

  /// The algebra says when each operation gets its CPU, and in what order: `served` says nothing.
  static constexpr bool kServing = requires(Algebra& algebra) { algebra.next(); };

  static constexpr bool kMatching =
      requires(Algebra& algebra) { algebra.sent(graph::VertexId{}, Instant{}); };

  /// What is known so far of a vertex that cannot start, or of a receive that cannot end, yet.
  struct Waiting {
    Instant start{};   ///< latest local predecessor so far
    Instant posted{};  ///< receive: may match from here on
    Instant sender{};  ///< receive: start of the matching send
    Instant entry{};  ///< receive, Gap::both: when the NIC is free for its message; then, its entry
    bool has_start = false, started = false;
    bool has_posted = false, posted_done = false;
    bool has_sender = false, matched = false;
    bool has_entry = false, has_turn = false, entered = false;
    std::uint32_t posted_left = 0;
    bool takes_turns = false, others_done = false;  ///< receive: waits for its CPU besides
    bool has_cpu = false, asked = false;
    std::uint32_t served_left = 0;
    Instant cpu{};  ///< the CPU has left what is before
  };

  struct Successor {
    VertexId vertex;
    DepKind kind;
  };

  static constexpr std::uint32_t kNoSlot = 0xffffffffU;

  /// A property of the message: ask its send or its receive.
  bool rendezvous(const Vertex& message) const {
    return message.synchronous || static_cast<std::uint64_t>(message.value) > network_.S;
  }

  /// The CPU is released no earlier than the end.
  bool releases_at_end(const Vertex& vertex) const {
    return vertex.kind != Kind::send || vertex.blocking || !rendezvous(vertex);
  }

  void make_ready(VertexId v, Instant at) {
    if constexpr (kServing) {
      algebra_.ready(v, at);
    } else {
      ready_.push_back({v, at});
    }
  }

  void start_all() {
    while (!ready_.empty()) {
      Ready next = ready_.front();
      ready_.pop_front();
      begin(next);
      while (next_.vertex != graph::kNoVertex) {  // run ahead along the rank's chain
        next = next_;
        next_.vertex = graph::kNoVertex;
        begin(next);
      }
    }
  }

  void begin(const Ready& ready) {
    const std::uint32_t slot = slot_[ready.vertex];
    if (slot != kNoSlot && slots_[slot].takes_turns && !slots_[slot].others_done) {
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
  void give_sender(VertexId recv, Instant sender) {
    const VertexId send = graph_.vertices[recv].partner;
    if (graph_.rank_of(send) == graph_.rank_of(recv)) {
      mark_to_itself(send);
      mark_to_itself(recv);
    }
    Waiting& slot = slot_of(recv);
    slot.sender = sender;
    slot.has_sender = true;
    advance(recv);
  }

  /// A receive may match from now on.
  void posted(VertexId recv, Instant at) {
    if constexpr (kMatching) {
      if (graph_.vertices[recv].partner == graph::kNoVertex) algebra_.posted(recv, at);
    }
  }

  void prepare() {
    const std::size_t n = graph_.vertices.size();
    waiting_.assign(n, 0);
    slot_.assign(n, kNoSlot);
    prepare_successors();
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      const VertexId begin = graph_.rank_begin[rank];
      const VertexId end = graph_.rank_begin[rank + 1];
      for (VertexId v = begin; v < end; ++v) {
        if (graph_.vertices[v].chained) ++waiting_[v];
        for (const graph::Dep& dep : graph_.deps_of(v)) {
          if (dep.kind == DepKind::posted) continue;  // slot_of() counts these
          if (dep.kind != DepKind::served) {
            ++waiting_[v];
          } else if (!kServing) {
            const bool receives = graph_.vertices[v].kind == Kind::recv;
            if (receives) slot_of(v).takes_turns = true;
            ++(receives ? slot_of(v).served_left : waiting_[v]);
          }
        }
        const VertexId partner = graph_.vertices[v].partner;
        if (partner >= begin && partner < end) mark_to_itself(v);
      }
    }
    prepare_gaps();
  }

  void mark_to_itself(VertexId v) {
    if (to_itself_.empty()) to_itself_.resize(graph_.vertices.size());
    to_itself_[v] = true;
  }

  /// A message of a rank to itself, asked by either end: it is never on the wire.
  bool to_itself(VertexId v) const { return !to_itself_.empty() && to_itself_[v]; }

  /// Reverses the explicit dependencies (counting sort by the vertex depended on).
  void prepare_successors() {
    if (graph_.deps.empty()) return;
    const std::size_t n = graph_.vertices.size();
    successor_begin_.assign(n + 1, 0);
    for (const graph::Dep& dep : graph_.deps) ++successor_begin_[dep.vertex + 1];
    for (std::size_t i = 0; i < n; ++i) successor_begin_[i + 1] += successor_begin_[i];
    successors_.resize(graph_.deps.size());
    std::vector<std::uint32_t> fill(successor_begin_.begin(), successor_begin_.end() - 1);
    for (VertexId v = 0; v < n; ++v) {
      for (const graph::Dep& dep : graph_.deps_of(v)) {
        successors_[fill[dep.vertex]++] = {v, dep.kind};
      }
    }
  }

  /// With a gap, each send on a NIC of a rank waits for the send before it in program order; the
  /// same for messages that enter by it, in the order of their receives. Those of a rank to itself
  /// take no NIC.
  void prepare_gaps() {
    if (network_.gap == model::Gap::none) return;
    next_in_turn_.assign(graph_.vertices.size(), graph::kNoVertex);
    const graph::Numbering nics = graph::numbering(graph_.units, &graph::Unit::nic);
    std::vector<VertexId> last_send(nics.count, graph::kNoVertex);  // by NIC: of any rank so far
    std::vector<VertexId> last_recv(nics.count, graph::kNoVertex);
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      const VertexId begin = graph_.rank_begin[rank];
      const auto is_here = [&](VertexId v) { return v != graph::kNoVertex && v >= begin; };
      for (VertexId v = begin; v < graph_.rank_begin[rank + 1]; ++v) {
        const Vertex& vertex = graph_.vertices[v];
        const std::uint32_t nic = nics.of_unit[vertex.unit];
        if (vertex.kind == Kind::send && !to_itself(v)) {
          if (is_here(last_send[nic])) {
            next_in_turn_[last_send[nic]] = v;
            ++waiting_[v];
          }
          last_send[nic] = v;
        } else if (vertex.kind == Kind::recv && in_turn(v)) {
          if (is_here(last_recv[nic])) {
            next_in_turn_[last_recv[nic]] = v;
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

  void give_turn(VertexId recv, Instant from) {
    Waiting& slot = slot_of(recv);
    slot.entry = from;
    slot.has_entry = true;
    slot.has_turn = true;
  }

  /// When a NIC that a message has taken at `at` is free again: max(g, bytes · G) later.
  Instant free_again(Instant at, double bytes, VertexId message) {
    if constexpr (requires { algebra_.on_nic(at); }) at = algebra_.on_nic(at);
    const Instant after_bytes = algebra_.add(at, {.bytes = bytes, .message = message});
    if (network_.g == 0) return after_bytes;
    const Instant after_gap = algebra_.add(at, {.ns = network_.g});
    return bytes == 0 ? after_gap : algebra_.join(after_gap, after_bytes);
  }

  Waiting& slot_of(VertexId v) {
    if (slot_[v] == kNoSlot) {
      if (free_.empty()) {
        slot_[v] = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
      } else {
        slot_[v] = free_.back();
        free_.pop_back();
        slots_[slot_[v]] = Waiting{};
      }
      slots_[slot_[v]].posted_left = postings_of(v);
    }
    return slots_[slot_[v]];
  }

  /// What a receive is posted after. Counted when something of it is known first: until then it
  /// takes no memory, and most receives of a program are far ahead.
  std::uint32_t postings_of(VertexId v) const {
    std::uint32_t count = 0;
    for (const graph::Dep& dep : graph_.deps_of(v)) count += dep.kind == DepKind::posted ? 1 : 0;
    return count;
  }

  void release_slot(VertexId v) {
    free_.push_back(slot_[v]);
    slot_[v] = kNoSlot;
  }

  /// One local predecessor of v is done.
  void deliver(VertexId v, Instant instant) {
    if (--waiting_[v] == 0 && (slot_[v] == kNoSlot || !slots_[slot_[v]].has_start)) {
      make_ready(v, instant);
      return;
    }
    Waiting& slot = slot_of(v);
    slot.start = slot.has_start ? algebra_.join(slot.start, instant) : instant;
    slot.has_start = true;
    if (waiting_[v] == 0) {
      const Instant latest = slot.start;
      if (graph_.vertices[v].kind != Kind::recv) release_slot(v);
      make_ready(v, latest);
    }
  }

  /// The CPU has left what v comes after.
  void deliver_cpu(VertexId v, Instant instant) {
    if (graph_.vertices[v].kind != Kind::recv) {
      deliver(v, instant);
      return;
    }
    Waiting& slot = slot_of(v);
    slot.cpu = slot.has_cpu ? algebra_.join(slot.cpu, instant) : instant;
    slot.has_cpu = true;
    if (--slot.served_left == 0 && slot.others_done) {
      make_ready(v, algebra_.join(slot.start, slot.cpu));
    }
  }

  /// All that a receive waits for but its CPU is done.
  void post(VertexId recv, Instant at) {
    Waiting& slot = slot_of(recv);
    slot.others_done = true;
    slot.start = at;
    slot.has_start = true;
    if (slot.posted_left == 0 && !slot.has_posted) {
      slot.posted = at;
      slot.posted_done = true;
    }
    const bool served = slot.served_left == 0;
    if (served) make_ready(recv, algebra_.join(at, slot.cpu));
    notify(recv, at, [](DepKind kind) { return kind == DepKind::requires_start; });
    if (!served) advance(recv);
  }

  void deliver_posted(VertexId recv, Instant instant) {
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
  void notify(VertexId v, Instant instant, Wanted wanted) {
    if (successor_begin_.empty()) return;
    for (std::uint32_t i = successor_begin_[v]; i < successor_begin_[v + 1]; ++i) {
      const Successor s = successors_[i];
      if (!wanted(s.kind)) continue;
      if (s.kind == DepKind::posted) {
        deliver_posted(s.vertex, instant);
      } else if (s.kind == DepKind::served) {
        if constexpr (!kServing) deliver_cpu(s.vertex, instant);
      } else {
        deliver(s.vertex, instant);
      }
    }
  }

  void start(VertexId v, Instant at) {
    const Vertex& vertex = graph_.vertices[v];
    at = algebra_.started(v, at);
    if (slot_[v] == kNoSlot || !slots_[slot_[v]].takes_turns) {
      notify(v, at, [](DepKind kind) { return kind == DepKind::requires_start; });
    }
    switch (vertex.kind) {
      case Kind::calc: {
        const double ns = static_cast<double>(vertex.value) * network_.compute_scale;
        const Instant end = algebra_.ended(v, algebra_.add(at, {.ns = ns, .calc = v}));
        released(v, end);
        ended(v, end);
        break;
      }
      case Kind::send:
        send(v, vertex, at);
        break;
      case Kind::recv: {
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

  void send(VertexId v, const Vertex& vertex, Instant at) {
    const double bytes = model::gap_bytes(vertex.value);
    if (network_.gap != model::Gap::none && next_in_turn_[v] != graph::kNoVertex) {
      deliver(next_in_turn_[v], free_again(at, bytes, vertex.partner));
    }
    Instant release = algebra_.add(at, own_overhead(vertex));
    if (rendezvous(vertex)) {
      if (!vertex.blocking) released(v, release);
    } else {
      release = algebra_.ended(v, release);
      released(v, release);
      ended(v, release);
    }
    if constexpr (kMatching) {
      if (vertex.partner == graph::kNoVertex) {
        algebra_.sent(v, at);
        return;
      }
    }
    Waiting& slot = slot_of(vertex.partner);
    slot.sender = at;
    slot.has_sender = true;
    advance(vertex.partner);
  }

  /// Ends the receive, and a rendezvous send, as soon as all they wait for is known.
  void advance(VertexId recv) {
    const Waiting& slot = slots_[slot_[recv]];
    if (!slot.has_sender) return;
    const Vertex& vertex = graph_.vertices[recv];
    const double bytes = model::gap_bytes(vertex.value);
    const Cost message = cost_of(model::kMessage, recv, bytes, 0);
    const Instant sender = slot.sender;  // `slot` may move when others get their turn
    if (!rendezvous(vertex)) {
      if (enter(recv, sender, message)) end_receive(recv, arrival(recv, sender, message));
      return;
    }
    const model::Rendezvous reading = rendezvous_of(recv);
    const model::Protocol& protocol = model::protocol_of(reading);
    const bool sync = reading == model::Rendezvous::sync;
    const bool entered = sync && enter(recv, sender, message);
    if (!slots_[slot_[recv]].posted_done) return;
    match(recv, bytes, protocol);
    const Instant matched = slots_[slot_[recv]].posted;
    if (sync) {
      if (!entered) return;
      const bool again = in_turn(recv);  // else the message is in the match
      end_receive(recv, again ? algebra_.join(matched, arrival(recv, sender, message)) : matched);
      return;
    }
    const Cost data = cost_of(protocol.data, recv, bytes, 1);
    if (!enter(recv, matched, data)) return;
    const auto after = static_cast<std::uint8_t>(1 + protocol.data.latencies);
    end_receive(recv, arrival(recv, matched, data, cost_of(protocol.notice, recv, 0, after)));
  }

  /// The message of `recv`, on its `way` since `from`, enters the receiver, and the next one may;
  /// false when it is not its turn yet.
  bool enter(VertexId recv, const Instant& from, Cost way) {
    if (!in_turn(recv)) return true;
    Waiting& slot = slots_[slot_[recv]];
    if (slot.entered) return true;
    if (!slot.has_turn) return false;
    const double bytes = std::exchange(way.bytes, 0);
    Instant entry = algebra_.add(from, way);
    if (slot.has_entry) entry = algebra_.join(slot.entry, entry);
    if constexpr (requires { algebra_.entered(recv, entry); }) {
      entry = algebra_.entered(recv, entry);
    }
    slot.entry = entry;
    slot.entered = true;
    const VertexId next = next_in_turn_[recv];
    if (next != graph::kNoVertex) {
      give_turn(next, free_again(entry, bytes, recv));
      if (slots_[slot_[next]].has_sender) turns_.push_back(next);
    }
    return true;
  }

  /// Messages that waited for another one to enter; a list, for a recursion may be a million deep.
  void advance_turns() {
    while (!turns_.empty()) {
      const VertexId recv = turns_.back();
      turns_.pop_back();
      if (slot_[recv] != kNoSlot) advance(recv);  // else what it was posted after has ended it
    }
  }

  /// All of a message that has entered, or that is on its `way` since `from`, is there, and the
  /// receiver has its `notice`.
  Instant arrival(VertexId recv, const Instant& from, const Cost& way, Cost notice = {}) {
    if (in_turn(recv)) {
      notice.bytes = way.bytes;
      notice.message = way.message;
      return algebra_.add(slots_[slot_[recv]].entry, notice);
    }
    Cost whole = way;
    whole.latencies += notice.latencies;
    whole.overheads += notice.overheads;
    whole.posted = static_cast<std::uint8_t>(whole.posted | notice.posted);
    return algebra_.add(from, whole);
  }

  /// A rendezvous matches, once: the request (in `sync` the message itself) has arrived and the
  /// receive is posted. The match is kept in `posted`.
  void match(VertexId recv, double bytes, const model::Protocol& protocol) {
    Waiting& slot = slots_[slot_[recv]];
    if (std::exchange(slot.matched, true)) return;
    const VertexId send = graph_.vertices[recv].partner;
    const Cost request = cost_of(protocol.request, recv, bytes, 0);
    slot.posted = algebra_.join(algebra_.add(slot.sender, request), slot.posted);
    const Cost rest = cost_of(protocol.sender, recv, bytes, 1);
    const Instant end =
        algebra_.ended(send, send_end(send, slot.sender, algebra_.add(slot.posted, rest)));
    // `slot` may move while others are notified: use it no further.
    if (graph_.vertices[send].blocking) released(send, end);
    ended(send, end);
  }

  /// The end of a rendezvous send with O: a blocking send pays it for the data, any other one (and
  /// all in `sync`, where the data go at once) where it is posted.
  Instant send_end(VertexId send, const Instant& started, const Instant& end) {
    const Cost own = own_overhead(graph_.vertices[send]);
    if (rendezvous_of(send) == model::Rendezvous::sync) {
      return algebra_.join(end, algebra_.add(started, own));
    }
    return graph_.vertices[send].blocking ? algebra_.add(end, {.ns = own.ns}) : end;
  }

  /// CPU time of a message at either end.
  Cost own_overhead(const Vertex& message) const {
    return {.ns = network_.O * model::gap_bytes(message.value), .overheads = 1};
  }

  /// What a rendezvous costs, asked by either end: two calls of one rank need no handshake.
  model::Rendezvous rendezvous_of(VertexId v) const {
    return to_itself(v) ? model::Rendezvous::sync : network_.rendezvous;
  }

  /// A stretch of the message that `recv` receives, whose first message on the wire is `wire`. All
  /// that flies is priced here; of a message to itself nothing does.
  Cost cost_of(const model::Stretch& stretch, VertexId recv, double bytes,
               std::uint8_t wire) const {
    if (to_itself(recv)) return {.overheads = static_cast<double>(stretch.overheads)};
    return {.latencies = static_cast<double>(stretch.latencies),
            .overheads = static_cast<double>(stretch.overheads),
            .bytes = stretch.bodies * bytes,
            .message = recv,
            .wire = wire,
            .posted = stretch.posted};
  }

  /// Ends the receive whose message is there at `at`, if the CPU has come to it.
  void end_receive(VertexId recv, const Instant& at) {
    Waiting& slot = slots_[slot_[recv]];
    if (!slot.started) return;
    if constexpr (kServing) {
      if (!std::exchange(slot.asked, true)) algebra_.arrived(recv, slot.start, at);
    } else {
      receive(recv, algebra_.join(slot.start, at));
    }
  }

  /// The CPU takes a message that is there.
  void receive(VertexId recv, const Instant& at) {
    release_slot(recv);
    const Instant end = algebra_.ended(recv, algebra_.add(at, own_overhead(graph_.vertices[recv])));
    released(recv, end);
    ended(recv, end);
  }

  /// The CPU is free after v.
  void released(VertexId v, Instant instant) {
    if constexpr (kServing) algebra_.left(v, instant);
    notify(v, instant, [](DepKind kind) {
      return kind == DepKind::released || kind == DepKind::posted || kind == DepKind::served;
    });
    const VertexId after = v + 1;
    if (after >= graph_.vertices.size() || !graph_.vertices[after].chained) return;
    const bool alone = slot_[after] == kNoSlot || !slots_[slot_[after]].has_start;
    if (waiting_[after] == 1 && alone && next_.vertex == graph::kNoVertex) {
      waiting_[after] = 0;
      next_ = {after, instant};
    } else {
      deliver(after, instant);
    }
  }

  void ended(VertexId v, Instant instant) {
    ++ended_;
    notify(v, instant, [](DepKind kind) { return kind == DepKind::requires_end; });
    if (!waited_for(v)) algebra_.finished(instant);
  }

  /// True when something later starts no earlier than the end of v.
  bool waited_for(VertexId v) const {
    const Vertex& vertex = graph_.vertices[v];
    const bool release_is_end = releases_at_end(vertex);
    const VertexId after = v + 1;
    if (release_is_end && after < graph_.vertices.size() && graph_.vertices[after].chained) {
      return true;
    }
    if (successor_begin_.empty()) return false;
    for (std::uint32_t i = successor_begin_[v]; i < successor_begin_[v + 1]; ++i) {
      const DepKind kind = successors_[i].kind;
      if (kind == DepKind::requires_end) return true;
      const bool follows = kind == DepKind::released || (kind == DepKind::served && !kServing);
      if (follows && release_is_end) return true;
    }
    return false;
  }

  [[noreturn]] void throw_cycle();

  const graph::Graph& graph_;
  const model::LogGPS& network_;
  Algebra& algebra_;
  std::vector<std::uint32_t> waiting_;  ///< local predecessors still to come, per vertex
  std::vector<std::uint32_t> slot_;     ///< index into slots_, per vertex
  std::vector<bool> to_itself_;         ///< by vertex; empty when there is no such message
  std::vector<Waiting> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> successor_begin_;  ///< empty when there are no explicit deps
  std::vector<Successor> successors_;
  std::vector<VertexId> next_in_turn_;  ///< send after a send, recv after a recv; with a gap only
  std::vector<VertexId> turns_;         ///< receives whose turn has come
  std::deque<Ready> ready_;
  Ready next_;
  std::size_t ended_ = 0;
};

/// "rank 1: recv 8 B from rank 0, line 12 (MPI_Recv)": for messages about one operation.
std::string describe(const graph::Graph& graph, graph::VertexId v);

/// Throws InputError about a circle of waiting operations; `blocked(v)` gives the operation that
/// v waits for, or kNoVertex.
[[noreturn]] void throw_circle(const graph::Graph& graph, graph::VertexId from,
                               const std::vector<graph::VertexId>& waits_for, model::Gap gap);

template <class Algebra>
void Lowering<Algebra>::throw_cycle() {
  // Whatever has not started, or has started and not ended, waits for exactly what is missing.
  const std::size_t n = graph_.vertices.size();
  std::vector<VertexId> waits_for(n, graph::kNoVertex);
  VertexId from = graph::kNoVertex;
  const auto stuck = [&](VertexId v) {
    return waiting_[v] != 0 || (slot_[v] != kNoSlot && graph_.vertices[v].kind == Kind::recv);
  };
  for (VertexId v = 0; v < n; ++v) {
    const Vertex& vertex = graph_.vertices[v];
    if (!stuck(v)) continue;
    from = v;
    if (waiting_[v] != 0) {
      if (vertex.chained) {
        const Vertex& before = graph_.vertices[v - 1];
        const bool blocked = before.kind == Kind::send && rendezvous(before) && !stuck(v - 1);
        waits_for[v] = blocked ? before.partner : v - 1;
      }
      for (const graph::Dep& dep : graph_.deps_of(v)) {
        const Vertex& before = graph_.vertices[dep.vertex];
        const bool unfinished_send = before.kind == Kind::send && rendezvous(before) &&
                                     dep.kind == DepKind::requires_end && stuck(before.partner);
        if (dep.kind == DepKind::posted) continue;
        if (stuck(dep.vertex)) waits_for[v] = dep.vertex;
        if (unfinished_send) waits_for[v] = before.partner;
      }
    } else {
      waits_for[v] = vertex.partner;
      for (const graph::Dep& dep : graph_.deps_of(v)) {
        const bool held = dep.kind == DepKind::served && stuck(dep.vertex);
        if (held && !stuck(vertex.partner)) waits_for[v] = dep.vertex;
      }
    }
  }
  for (VertexId v = 0; v < next_in_turn_.size(); ++v) {
    const VertexId after = next_in_turn_[v];
    if (after == graph::kNoVertex || !stuck(v) || !stuck(after)) continue;
    if (graph_.vertices[v].kind == Kind::send) {
      waits_for[after] = v;
    } else if (slot_of(after).has_sender && !slot_of(after).has_turn) {
      waits_for[after] = slot_of(v).has_sender ? v : graph_.vertices[v].partner;
    }
  }
  throw_circle(graph_, from, waits_for, network_.gap);
}

}  // namespace latitude::solve
