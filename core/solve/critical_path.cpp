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
  bool exists() const { return bits_ != graph::kNoVertex; }
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
};

/// A moment and the event that decided it. Of a vertex's end: its own start, or (a receive, a
/// rendezvous send) an event elsewhere.
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
  static Instant join_message(const Instant& cpu, const Instant& arrival, VertexId) {
    return join(cpu, arrival);
  }

  Instant started(VertexId v, Instant at) {
    starts_[v] = at.via;
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
  /// An end or an entry, and what decided it.
  const Instant& at(Event event) const {
    return event.is_entry() ? entries_[event.vertex()] : ends_[event.vertex()];
  }
  /// What decided the start of v: always an end or an entry in the end, or nothing.
  Event before_start_of(VertexId v) const { return starts_[v]; }

 private:
  const model::Network& network_;
  Links links_;
  std::vector<Instant> ends_;
  std::vector<Event> starts_;
  std::vector<Instant> entries_;  ///< of receives, with Gap::both only
  Instant last_;
};

class PathBuilder {
 public:
  PathBuilder(const graph::Graph& graph, const model::Network& network, const Timeline& timeline)
      : graph_(graph), network_(network), timeline_(timeline) {}

  /// Walks back from the last end to time zero.
  std::vector<PathStep> walk_back() {
    later_ = timeline_.last();
    Event late = timeline_.last().via;
    while (late.exists()) {
      const VertexId vertex = late.vertex();
      Event before = timeline_.at(late).via;
      if (before.exists() && before.is_entry() && before.vertex() == vertex) {
        before = timeline_.at(before).via;
      }
      VertexId sender = graph::kNoVertex;
      while (before.exists() && before.is_start()) {
        const VertexId started = before.vertex();
        if (started != vertex && graph_.vertices[started].kind == graph::Kind::send) {
          sender = started;
        }
        before = timeline_.before_start_of(started);
      }
      const Moment earlier = before.exists() ? timeline_.at(before) : Instant{};
      if (sender != graph::kNoVertex) {
        step(vertex, timeline_.add({earlier, {}}, {.overheads = 1}));
        step(sender, earlier);
      } else {
        step(vertex, earlier);
      }
      late = before;
    }
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

 private:
  void step(VertexId vertex, const Moment& earlier) {
    const double latencies = static_cast<double>(later_.latencies) - earlier.latencies;
    const double overheads = static_cast<double>(later_.overheads) - earlier.overheads;
    const double bytes = later_.bytes - earlier.bytes;
    const double latency_ns = later_.latency_ns - earlier.latency_ns;
    const double gap_ns = later_.gap_ns - earlier.gap_ns;
    const double elsewhere = overheads * network_.base.o + latency_ns + gap_ns;
    steps_.push_back({vertex, earlier.time, later_.time,
                      std::max(0.0, later_.time - earlier.time - elsewhere), latency_ns, gap_ns,
                      latencies, overheads, bytes});
    later_ = earlier;
  }

  const graph::Graph& graph_;
  const model::Network& network_;
  const Timeline& timeline_;
  Moment later_;
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
