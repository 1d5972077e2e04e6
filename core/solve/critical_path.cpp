#include "core/solve/critical_path.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/graph/rank_lines.hpp"
#include "core/solve/lowering.hpp"

namespace latitude::solve {
namespace {

using graph::VertexId;

/// The parts of the path to a time, other than computation.
struct Makeup {
  double latency_ns = 0;
  double gap_ns = 0;
  double overhead_ns = 0;
  double bytes = 0;
  std::uint32_t latencies = 0;
  std::uint32_t overheads = 0;

  bool operator==(const Makeup&) const = default;
};

struct Moment : Makeup {
  double time = 0;

  bool operator==(const Moment&) const = default;
};

/// Algebra of Lowering. It meets the events of the path in their order, because each event decides
/// the next, and counts the parts between these events. (To store the parts for every event would
/// take more memory than the rest of a schedule.)
///
/// Only what comes from the last event met decides the next, so only that has a moment: all other
/// instants, which are nearly all, are a number.
class PathAlgebra {
 public:
  /// A place in `moments_`; places below its first one, and `kNowhere`, have no moment.
  using Instant = std::uint64_t;

  PathAlgebra(const Schedule& schedule, const std::function<void(const PathStep&)>& take)
      : graph_(schedule.graph()), schedule_(schedule), take_(take) {}

  Instant origin() const { return origin_; }

  Instant add(Instant at, const Cost& cost) {
    if (!follows(at)) return at;
    Moment later = moment(at);
    charge(later, cost);
    return keep(later);
  }

  /// An instant without a moment never decides an event of the path.
  Instant join(Instant a, Instant b) const {
    if (!follows(b)) return a;
    return !follows(a) || moment(b).time > moment(a).time ? b : a;
  }

  Instant started(VertexId v, Instant at) { return met(Event::start_of(v), at); }
  Instant entered(VertexId recv, Instant at) { return met(Event::entry_of(recv), at); }
  Instant ended(VertexId v, Instant at) { return met(Event::end_of(v), at); }
  static void finished(Instant) {}

  /// The path of the steps taken so far.
  CriticalPath finish() {
    end_step();
    CriticalPath path;
    path.T_ns = last_.time;
    path.latencies = last_.latencies;
    path.overheads = last_.overheads;
    path.bytes = last_.bytes;
    path.latency_ns = last_.latency_ns;
    path.gap_ns = last_.gap_ns;
    path.recorded_ns = recorded_ns_;
    path.overhead_ns = last_.overhead_ns;
    path.calc_ns = last_.time - last_.latency_ns - last_.overhead_ns - last_.gap_ns - recorded_ns_;
    return path;
  }

 private:
  /// The parts between two moments of a vertex.
  struct Piece {
    Moment earlier;
    Moment later;
  };

  /// Adds a cost to `at`.
  void charge(Moment& at, const Cost& cost) const {
    const Price price = schedule_.price(cost);
    at.time += price.ns;
    at.latency_ns += price.latency_ns;
    at.gap_ns += price.gap_ns;
    at.overhead_ns += price.overhead_ns;
    at.bytes += cost.bytes;
    at.latencies += static_cast<std::uint32_t>(cost.latencies);
    at.overheads += static_cast<std::uint32_t>(cost.overheads);
  }

  bool follows(Instant at) const { return at >= first_; }
  const Moment& moment(Instant at) const { return moments_[at - first_]; }

  Instant keep(const Moment& moment) {
    moments_.push_back(moment);
    return first_ + moments_.size() - 1;
  }

  Instant met(Event event, Instant at) {
    if (!schedule_.on_path(event)) return kNowhere;
    const Moment reached = moment(at);
    stretch(event, reached, last_event_, last_);
    last_ = reached;
    last_event_ = event;
    first_ += moments_.size();
    moments_.clear();
    origin_ = kNowhere;
    return keep(reached);
  }

  /// Adds the parts between an event and the event that decided it.
  void stretch(Event late, const Moment& end, Event before, const Moment& begin) {
    const VertexId own = late.vertex();
    const bool other = before.exists() && before.vertex() != own;
    const bool sends = other && graph_.vertices[before.vertex()].kind == graph::Kind::send;
    switch (whose(late, before, other, sends)) {
      case Whose::earlier:
        if (begin != end) step(before.vertex(), begin, end);
        break;
      case Whose::both: {
        const graph::Vertex& send = graph_.vertices[before.vertex()];
        Moment sent = begin;
        Cost part = part_of_send(model::gap_bytes(send.value), send.partner == own, send.recorded);
        part.message = before.vertex();
        charge(sent, part);
        step(before.vertex(), begin, sent);
        step(own, sent, end);
        break;
      }
      case Whose::own:
        step(own, begin, end);
        break;
    }
  }

  /// Adds a step from `earlier` to `later`, or extends the previous step.
  void step(VertexId vertex, const Moment& earlier, const Moment& later) {
    if (vertex != vertex_) end_step();
    vertex_ = vertex;
    pieces_.push_back({earlier, later});
  }

  void end_step() {
    if (pieces_.empty()) return;
    PathStep step{.vertex = vertex_,
                  .start_ns = pieces_.front().earlier.time,
                  .end_ns = pieces_.back().later.time};
    for (const auto& [earlier, later] : pieces_ | std::views::reverse) {
      const double latencies = static_cast<double>(later.latencies) - earlier.latencies;
      const double overheads = static_cast<double>(later.overheads) - earlier.overheads;
      const double latency_ns = later.latency_ns - earlier.latency_ns;
      const double gap_ns = later.gap_ns - earlier.gap_ns;
      const double overhead_ns = later.overhead_ns - earlier.overhead_ns;
      const double elsewhere = overhead_ns + latency_ns + gap_ns;
      step.calc_ns += std::max(0.0, later.time - earlier.time - elsewhere);
      step.latency_ns += latency_ns;
      step.gap_ns += gap_ns;
      step.overhead_ns += overhead_ns;
      step.latencies += latencies;
      step.overheads += overheads;
      step.bytes += later.bytes - earlier.bytes;
    }
    const graph::Vertex& vertex = graph_.vertices[vertex_];
    if (vertex.kind == graph::Kind::calc && vertex.recorded) recorded_ns_ += step.calc_ns;
    take_(step);
    pieces_.clear();
  }

  const graph::Graph& graph_;
  const Schedule& schedule_;
  static constexpr Instant kNowhere = 0;
  Instant first_ = 1;
  Instant origin_ = 1;               ///< time zero; nowhere once an event was met
  std::vector<Moment> moments_{{}};  ///< time zero or that of the last event met, and later ones
  Moment last_;                      ///< moment of the last event met on the path
  Event last_event_;                 ///< that event
  const std::function<void(const PathStep&)>& take_;
  double recorded_ns_ = 0;              ///< recorded time of all steps
  VertexId vertex_ = graph::kNoVertex;  ///< vertex of the current step
  std::vector<Piece> pieces_;           ///< parts of the current step
};

void find_ends(const Schedule& schedule, CriticalPath& path) {
  const graph::Graph& graph = schedule.graph();
  const graph::RankLines lines(graph);
  path.rank_end_ns.assign(graph.ranks(), 0);
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      path.rank_end_ns[rank] = std::max(path.rank_end_ns[rank], schedule.end_ns(v));
    }
  }
  path.rank_lines_ns = path.rank_end_ns;
  if (!lines.several()) return;
  // A thread begins with its first operation; a CPU exists from time zero.
  std::vector<double> begin(lines.count(), lines.several_threads() ? path.T_ns : 0);
  std::vector<double> end(lines.count());
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      const std::uint32_t line = lines.on(rank, v);
      begin[line] = std::min(begin[line], schedule.start_ns(v));
      end[line] = std::max(end[line], schedule.end_ns(v));
    }
  }
  path.rank_lines_ns.assign(graph.ranks(), 0);
  for (std::uint32_t line = 0; line < lines.count(); ++line) {
    path.rank_lines_ns[lines.rank(line)] += std::max(0.0, end[line] - begin[line]);
  }
}

}  // namespace

CriticalPath critical_path(const Schedule& schedule) {
  std::vector<PathStep> steps;
  steps.reserve(schedule.path_vertices());
  CriticalPath path = critical_path(schedule, [&](const PathStep& step) { steps.push_back(step); });
  path.steps = std::move(steps);
  return path;
}

CriticalPath critical_path(const Schedule& schedule,
                           const std::function<void(const PathStep&)>& take) {
  const graph::Graph& graph = schedule.graph();
  CriticalPath path;
  if (schedule.path_vertices() > 0) {
    PathAlgebra algebra(schedule, take);
    Lowering<PathAlgebra>(graph, schedule.network().base, algebra).run();
    path = algebra.finish();
  }
  find_ends(schedule, path);
  return path;
}

}  // namespace latitude::solve
