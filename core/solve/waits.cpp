#include "core/solve/waits.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/solve/following.hpp"

namespace latitude::solve {
namespace {

using graph::DepKind;
using graph::Kind;
using graph::kNoOrigin;
using graph::kNoVertex;
using graph::Vertex;
using graph::VertexId;

constexpr double kNever = std::numeric_limits<double>::infinity();

using Point = PointOf<kNoVertex>;

/// Sums of what is not negative by small numbers, of which few occur.
class Sums {
 public:
  void add(std::size_t at, double ns) {
    if (at >= ns_.size()) ns_.resize(at + 1);
    if (ns_[at] == 0) met_.push_back(at);
    ns_[at] += ns;
  }

  /// All of them by rising number; none is left.
  template <class Take>
  void take(Take take) {
    std::ranges::sort(met_);
    for (const std::size_t at : met_) take(at, std::exchange(ns_[at], 0));
    met_.clear();
  }

 private:
  std::vector<double> ns_;
  std::vector<std::size_t> met_;
};

/// What the calls of a graph mean here.
class Calls {
 public:
  explicit Calls(const graph::Graph& graph) : graph_(graph) {
    place_of_.reserve(graph.calls.size());
    for (std::size_t i = 0; i < graph.calls.size(); ++i) {
      const graph::CallRecord call = graph.calls[i];
      place_of_.push_back(places_.of(call.call, call.site));
    }
  }

  const std::vector<Place>& places() const { return places_.list(); }
  const std::vector<std::uint32_t>& place_of_each() const { return place_of_; }

  /// A call, or kNoOrigin, and its place.
  struct Where {
    std::uint32_t call = kNoOrigin;
    std::uint32_t place = 0;
  };

  /// Which call a rank is in at a vertex: `inside` where that is known, else the one that completes
  /// it; before which call it computes; or none.
  Where where(VertexId v, std::uint32_t inside) {
    if (place_of_.empty()) return {};
    const std::uint32_t posted = graph_.vertices[v].origin;
    if (posted == kNoOrigin) return before(v);
    const std::uint32_t call = inside == kNoOrigin ? completing(v) : inside;
    return {call, places_.both(place_of_[call], place_of_[posted])};
  }

  bool in_collective(const Vertex& vertex) const {
    return vertex.origin != kNoOrigin && is_collective(graph_.calls[vertex.origin].call);
  }

  /// Why a receive waits for its send, or a send for its receive.
  Cause cause_of(const Vertex& vertex) const {
    const bool recorded = vertex.origin != kNoOrigin;
    return solve::cause_of(recorded ? graph_.calls[vertex.origin].call : trace::Call::count_,
                           vertex.kind);
  }

 private:
  std::uint32_t completing(VertexId v) const {
    const std::uint32_t own = graph_.vertices[v].origin;
    const std::uint32_t completed_in = graph_.completed_in[v];
    return completed_in == graph::Marks::kNone ? own : completed_in;
  }

  /// Computation that no call does is before the call after it.
  Where before(VertexId v) const {
    for (; v < graph_.vertices.size(); ++v) {
      const Vertex& vertex = graph_.vertices[v];
      const std::uint32_t call = completing(v);
      if (call != kNoOrigin) return {call, place_of_[call]};
      const bool last = v + 1 < graph_.vertices.size() && !graph_.vertices[v + 1].chained;
      if (vertex.kind != Kind::calc || last) break;
    }
    return {};
  }

  const graph::Graph& graph_;
  Places places_;
  std::vector<std::uint32_t> place_of_;  ///< by call
};

/// Follows every rank's line back from its end.
class Tracking : private Following<Tracking, Point> {
 public:
  Tracking(const Schedule& schedule, bool each_call, const std::vector<Look>& looks)
      : Following(schedule.network().base),
        graph_(schedule.graph()),
        schedule_(schedule),
        calls_(graph_),
        each_call_(each_call) {
    for (const Look& look : looks) {
      const std::size_t rows = (graph_.ranks() + look.ranks_per_row - 1) / look.ranks_per_row;
      result_.seen.push_back({look, rows, std::vector<double>(rows * look.cells * Seen::kKinds)});
    }
    if (!each_call) return;
    result_.call_place = calls_.place_of_each();
    result_.call_before_ns.resize(graph_.calls.size());
    result_.call_within_ns.resize(graph_.calls.size());
  }

  Waits run() {
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      start_with(rank);
      spent_.take([&](std::size_t key, double ns) {
        result_.spent.push_back({rank, static_cast<std::uint32_t>(key / kActivities),
                                 static_cast<Activity>(key % kActivities), ns});
      });
    }
    result_.places = calls_.places();
    take_tables(result_);
    return std::move(result_);
  }

 private:
  friend Lines;
  friend Following;

  const Vertex& vertex(VertexId v) const { return graph_.vertices[v]; }
  double start_ns(VertexId v) const { return schedule_.start_ns(v); }
  double end_ns(VertexId v) const { return schedule_.end_ns(v); }

  /// The instant that a dependency is about.
  static Point point_of(const graph::Dep& dep) {
    switch (dep.kind) {
      case DepKind::requires_end:
        return {Point::At::end, dep.vertex};
      case DepKind::requires_start:
        return {Point::At::start, dep.vertex};
      case DepKind::released:
      case DepKind::posted:
      case DepKind::served:
        break;
    }
    return {Point::At::release, dep.vertex};
  }

  /// When a receive may match from; no point: from time zero.
  Point posted(VertexId recv) const {
    Point latest{Point::At::start, recv};
    double time = -kNever;
    const auto deps = graph_.deps_of(recv);
    const auto is = [](DepKind kind) {
      return [kind](const graph::Dep& dep) { return dep.kind == kind; };
    };
    const bool apart = std::ranges::any_of(deps, is(DepKind::posted));
    const bool by_others = !apart && std::ranges::any_of(deps, is(DepKind::served));
    if (by_others) latest = {};
    for (const graph::Dep& dep : deps) {
      if (by_others ? dep.kind == DepKind::served : dep.kind != DepKind::posted) continue;
      const Point point = point_of(dep);
      if (time_of(point) > time) {
        latest = point;
        time = time_of(point);
      }
    }
    return latest;
  }

  /// The other end of a message, which a receive or a rendezvous send waits for.
  struct Awaited {
    Point point;
    double ns = 0;

    bool exists() const { return point.exists(); }
  };

  Awaited awaited(VertexId v) const {
    const Vertex& vertex = graph_.vertices[v];
    const bool receives = vertex.kind == Kind::recv;
    const Point point = receives ? Point{Point::At::start, vertex.partner} : posted(vertex.partner);
    return {point, point.exists() ? time_of(point) : 0};
  }

  bool to_itself(const Line& line, VertexId v) const {
    return line.rank == graph_.rank_of(graph_.vertices[v].partner);
  }

  Cause cause(VertexId v) const { return calls_.cause_of(graph_.vertices[v]); }
  Cause cause(const Line& line, VertexId v, const Received& parts) {
    const bool older = line.whom == Whom::itself && first_sent_after(v, parts.sent) < parts.late;
    return older ? Cause::wrong_order : cause(v);
  }

  // --- lines ------------------------------------------------------------------------------------

  Before<Point> before(VertexId v) const {
    Before<Point> found;
    const bool chained = graph_.vertices[v].chained;
    Point line;
    if (chained) line = {Point::At::release, v - 1};
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      const bool follows = dep.kind == DepKind::released || dep.kind == DepKind::served;
      if (!chained && follows) line = {Point::At::release, dep.vertex};
    }
    if (line.exists()) found.follows(line, time_of(line));
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      if (dep.kind == DepKind::posted) continue;
      const Point point = point_of(dep);
      found.depends(point, time_of(point), dep.kind == DepKind::requires_end);
    }
    found.finish();
    return found;
  }

  void start_with(std::uint32_t rank) {
    Line line;
    line.rank = rank;
    for (VertexId v = graph_.rank_begin[rank]; v < graph_.rank_begin[rank + 1]; ++v) {
      const Point point{Point::At::end, v};
      if (!line.point.exists() || time_of(point) >= time_of(line.point)) line.point = point;
    }
    if (line.point.exists()) follow_own(line);
  }

  // Of Following.

  std::uint32_t inside_of(VertexId v) const { return graph_.vertices[v].origin; }
  std::uint32_t place(VertexId v, std::uint32_t inside) { return calls_.where(v, inside).place; }
  bool in_collective(VertexId v) const { return calls_.in_collective(graph_.vertices[v]); }
  std::uint32_t partner_rank(VertexId v) const {
    return graph_.rank_of(graph_.vertices[v].partner);
  }
  std::uint32_t partner_origin(VertexId v) const {
    return graph_.vertices[graph_.vertices[v].partner].origin;
  }

  void spent(const Line& line, double begin, double end, Activity activity, VertexId v) {
    const Calls::Where where = calls_.where(v, line.inside);
    const auto what = static_cast<std::size_t>(activity);
    show(line.rank, begin, end, what);
    spent_.add(std::size_t{where.place} * kActivities + what, end - begin);
    if (each_call_ && where.call != kNoOrigin) {
      const bool between = graph_.vertices[v].origin == kNoOrigin;
      (between ? result_.call_before_ns : result_.call_within_ns)[where.call] += end - begin;
    }
  }

  void waited(const Line& line, double begin, double end, VertexId v) {
    show(line.rank, begin, end, kActivities);
    if (!each_call_) return;
    const Calls::Where where = calls_.where(v, line.inside);
    if (where.call != kNoOrigin) result_.call_within_ns[where.call] += end - begin;
  }

  void delayed(const Line& line, Activity activity, VertexId v, std::uint32_t row, double ns) {
    count(line.rank, place(v, line.inside), activity, row, ns, line.whom == Whom::direct);
  }

  /// A rank's own time from `begin` to `end`, in the cells that are looked at.
  void show(std::uint32_t rank, double begin, double end, std::size_t kind) {
    for (Seen& seen : result_.seen) {
      const Look& look = seen.look;
      const double width = (look.to_ns - look.from_ns) / look.cells;
      const double from = std::max(begin, look.from_ns);
      const double to = std::min(end, look.to_ns);
      if (!(from < to)) continue;
      const auto cell_at = [&](double time) {
        return std::min(static_cast<std::size_t>((time - look.from_ns) / width),
                        std::size_t{look.cells} - 1);
      };
      double* row = seen.ns.data() + rank / look.ranks_per_row * look.cells * Seen::kKinds + kind;
      for (std::size_t cell = cell_at(from); cell <= cell_at(to); ++cell) {
        const double left = look.from_ns + static_cast<double>(cell) * width;
        row[cell * Seen::kKinds] +=
            std::max(0.0, std::min(to, left + width) - std::max(from, left));
      }
    }
  }

  // --- wrong order ------------------------------------------------------------------------------

  bool from_point_to_point(VertexId v) const {
    const Vertex& vertex = graph_.vertices[v];
    return vertex.kind == Kind::recv && !calls_.in_collective(vertex);
  }

  /// Of a receive that others follow at once: when the first of their messages is sent. `sent`:
  /// when its own is. Own lines come here from the last of them to the first.
  double first_sent_after(VertexId v, double sent) {
    if (!from_point_to_point(v)) return kNever;
    double first = kNever;
    for (VertexId after = v + 1; follows_at_once(after); ++after) {
      const bool known = after == run_begin_;
      first = std::min(
          first, known ? run_first_sent_ : schedule_.start_ns(graph_.vertices[after].partner));
      if (known) break;
    }
    run_begin_ = v;
    run_first_sent_ = std::min(first, sent);
    return first;
  }

  bool follows_at_once(VertexId v) const {
    return v < graph_.vertices.size() && graph_.vertices[v].chained && from_point_to_point(v);
  }

  const graph::Graph& graph_;
  const Schedule& schedule_;
  Calls calls_;
  bool each_call_;
  VertexId run_begin_ = kNoVertex;  ///< of receives one after the other: the first so far
  double run_first_sent_ = kNever;  ///< when the first message of theirs is sent
  Sums spent_;                      ///< of the rank in hand, by place and activity
  Waits result_;
};

}  // namespace

Waits waits(const Schedule& schedule, bool each_call, const std::vector<Look>& looks) {
  return Tracking(schedule, each_call, looks).run();
}

}  // namespace latitude::solve
