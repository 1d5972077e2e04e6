#include "core/solve/critical_path.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/solve/compile.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {
namespace {

using graph::VertexId;

/// The start or the end of a vertex, or the entry of a receive's message, in 32 bits.
class Event {
 public:
  static constexpr std::uint32_t kStart = 0x80000000U;
  static constexpr std::uint32_t kEntry = 0x40000000U;

  Event() = default;
  static Event start_of(VertexId v) { return Event(v | kStart); }
  static Event entry_of(VertexId v) { return Event(v | kEntry); }
  static Event end_of(VertexId v) { return Event(v); }
  /// The start of a vertex that some other start has decided, by its place in a list of these.
  static Event held_start(std::size_t i) {
    return Event(static_cast<std::uint32_t>(i) | kStart | kEntry);
  }
  bool exists() const { return bits_ != graph::kNoVertex; }
  bool is_held_start() const { return exists() && is_start() && is_entry(); }
  bool is_start() const { return (bits_ & kStart) != 0; }
  bool is_entry() const { return (bits_ & kEntry) != 0; }
  VertexId vertex() const { return bits_ & ~(kStart | kEntry); }

 private:
  explicit Event(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = graph::kNoVertex;
};

/// A time with what the path to it consists of besides computation.
struct Moment {
  double time = 0;
  double latency_ns = 0;
  double gap_ns = 0;
  double bytes = 0;
  std::uint32_t latencies = 0;
  std::uint32_t overheads = 0;

  bool operator==(const Moment&) const = default;
};

/// A moment and the event that decided it. Of a vertex's end: its own start, or (a receive, a
/// rendezvous send) an event elsewhere. Of its start: what it depends on, or the start of another
/// send that has released the CPU or the NIC; of an entry the one before it, too.
struct Instant : Moment {
  Event via;
};

class Timeline {
 public:
  using Instant = solve::Instant;

  Timeline(const graph::Graph& graph, const model::Network& network)
      : network_(network),
        links_(graph, network),
        ends_(graph.vertices.size()),
        starts_(graph.vertices.size()),
        entries_(network.base.gap == model::Gap::both ? graph.vertices.size() : 0) {}

  static Instant origin() { return {}; }

  Instant add(Instant at, const Cost& cost) const {
    const model::LinkClass& link = network_.classes[links_.of(cost)];
    const double latency = cost.latencies * link.L;
    const double gap = cost.bytes * link.G;
    at.time += cost.ns + cost.overheads * network_.base.o + latency + gap;
    at.latency_ns += latency;
    at.gap_ns += gap;
    at.bytes += cost.bytes;
    at.latencies += static_cast<std::uint32_t>(cost.latencies);
    at.overheads += static_cast<std::uint32_t>(cost.overheads);
    return at;
  }

  static Instant join(const Instant& a, const Instant& b) { return b.time > a.time ? b : a; }

  /// A start is when the end that decides it is; only one that another start decides may be later.
  Instant started(VertexId v, Instant at) {
    starts_[v] = at.via;
    if (at.via.exists() && at.via.is_start()) {
      starts_[v] = Event::held_start(held_starts_.size());
      held_starts_.push_back(at);
    }
    at.via = Event::start_of(v);
    return at;
  }

  Instant entered(VertexId recv, Instant at) {
    entries_[recv] = at;
    at.via = Event::entry_of(recv);
    return at;
  }

  Instant ended(VertexId v, Instant at) {
    ends_[v] = at;
    at.via = Event::end_of(v);
    return at;
  }

  void finished(const Instant& at) {
    if (!last_.via.exists() || at.time > last_.time) last_ = at;
  }

  const Instant& last() const { return last_; }
  /// The end of v, and what decided it.
  const Instant& end_of(VertexId v) const { return ends_[v]; }
  /// An event, and what decided it; none: time zero.
  Instant at(Event event) const {
    if (!event.exists()) return {};
    if (event.is_entry()) return entries_[event.vertex()];
    if (!event.is_start()) return ends_[event.vertex()];
    const Event before = starts_[event.vertex()];
    if (before.is_held_start()) return held_starts_[before.vertex()];
    return {at(before), before};
  }

 private:
  const model::Network& network_;
  Links links_;
  std::vector<Instant> ends_;
  std::vector<Event> starts_;  ///< what decided them
  std::vector<Instant> held_starts_;
  std::vector<Instant> entries_;  ///< of receives, with Gap::both only
  Instant last_;
};

class PathBuilder {
 public:
  PathBuilder(const graph::Graph& graph, const model::Network& network, const Timeline& timeline)
      : graph_(graph), network_(network), timeline_(timeline) {}

  /// Walks back from the last end to time zero.
  std::vector<PathStep> walk_back() {
    for (Event late = timeline_.last().via; late.exists();) {
      const Instant end = timeline_.at(late);
      stretch(late, end, end.via, timeline_.at(end.via));
      late = end.via;
    }
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

 private:
  /// What lies between an event and the one that decided it.
  void stretch(Event late, const Moment& end, Event before, const Moment& begin) {
    const VertexId own = late.vertex();
    const bool other = before.exists() && before.vertex() != own;
    if (late.is_start()) {  // another start has held it up, if it was held up at all
      if (begin != end) step(before.vertex(), begin, end);
    } else if (late.is_entry() && other && before.is_entry()) {
      step(before.vertex(), begin, end);
    } else if (other && before.is_start() && sends(before.vertex())) {
      const VertexId sender = before.vertex();  // of the message, or what posts the receive
      const graph::Vertex& send = graph_.vertices[sender];
      const bool message = send.partner == own;
      const double copying = network_.base.O * model::gap_bytes(send.value);
      const Moment sent = timeline_.add({begin, {}}, {.ns = message ? 0 : copying, .overheads = 1});
      step(own, sent, end);
      step(sender, begin, sent);
    } else {
      step(own, begin, end);
    }
  }

  bool sends(VertexId v) const { return graph_.vertices[v].kind == graph::Kind::send; }

  /// A step, or more of the one that follows it, from `earlier` to `later`.
  void step(VertexId vertex, const Moment& earlier, const Moment& later) {
    const double latencies = static_cast<double>(later.latencies) - earlier.latencies;
    const double overheads = static_cast<double>(later.overheads) - earlier.overheads;
    const double bytes = later.bytes - earlier.bytes;
    const double latency_ns = later.latency_ns - earlier.latency_ns;
    const double gap_ns = later.gap_ns - earlier.gap_ns;
    const double elsewhere = overheads * network_.base.o + latency_ns + gap_ns;
    const double calc_ns = std::max(0.0, later.time - earlier.time - elsewhere);
    if (steps_.empty() || steps_.back().vertex != vertex) {
      steps_.push_back({vertex, later.time, later.time, 0, 0, 0, 0, 0, 0});
    }
    PathStep& step = steps_.back();
    step.start_ns = earlier.time;
    step.calc_ns += calc_ns;
    step.latency_ns += latency_ns;
    step.gap_ns += gap_ns;
    step.latencies += latencies;
    step.overheads += overheads;
    step.bytes += bytes;
  }

  const graph::Graph& graph_;
  const model::Network& network_;
  const Timeline& timeline_;
  std::vector<PathStep> steps_;
};

}  // namespace

CriticalPath critical_path(const graph::Graph& graph, const model::Network& network) {
  if (graph.vertices.size() >= Event::kEntry) {
    throw InputError(
        "the critical path needs a graph of fewer than 1073741824 vertices; analyse "
        "a shorter run");
  }
  network.check(graph.ranks());
  Timeline timeline(graph, network);
  Lowering<Timeline>(graph, network.base, timeline).run();
  CriticalPath path;
  path.rank_end_ns.assign(graph.ranks(), 0);
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      path.rank_end_ns[rank] = std::max(path.rank_end_ns[rank], timeline.end_of(v).time);
    }
  }
  const Instant& last = timeline.last();
  if (!last.via.exists()) return path;
  path.T_ns = last.time;
  path.latencies = last.latencies;
  path.overheads = last.overheads;
  path.bytes = last.bytes;
  path.latency_ns = last.latency_ns;
  path.gap_ns = last.gap_ns;
  path.calc_ns = last.time - last.latency_ns - last.overheads * network.base.o - last.gap_ns;
  path.steps = PathBuilder(graph, network, timeline).walk_back();
  return path;
}

}  // namespace latitude::solve
