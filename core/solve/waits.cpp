#include "core/solve/waits.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/graph/rank_lines.hpp"
#include "core/solve/crowd.hpp"
#include "core/solve/following.hpp"
#include "core/solve/lowering.hpp"

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

/// Sums of non-negative values by small numbers, few of which occur.
class Sums {
 public:
  void add(std::size_t at, double ns) {
    if (at >= ns_.size()) ns_.resize(at + 1);
    if (ns_[at] == 0) met_.push_back(at);
    ns_[at] += ns;
  }

  /// All of them by rising number; the table is empty afterwards.
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

/// The predecessor of a vertex in program order; kNoVertex: none.
VertexId line_before(const graph::Graph& graph, VertexId v) {
  if (graph.vertices[v].chained) return v - 1;
  VertexId before = kNoVertex;
  for (const graph::Dep& dep : graph.deps_of(v)) {
    if (dep.kind == DepKind::released || dep.kind == DepKind::served) before = dep.vertex;
  }
  return before;
}

/// The successor of each vertex on its line.
class Successors {
 public:
  Successors(const graph::Graph& graph, const graph::RankLines& lines) : graph_(graph) {
    if (!lines.several_threads()) return;
    after_.assign(graph.vertices.size(), kNoVertex);
    for (VertexId v = 0; v < graph.vertices.size(); ++v) {
      const VertexId before = line_before(graph, v);
      if (before == kNoVertex || lines.of(before) != lines.of(v)) continue;
      if (after_[before] == kNoVertex) after_[before] = v;
    }
  }

  /// The next vertex on v's line; kNoVertex: none.
  VertexId of(VertexId v) const {
    if (!after_.empty()) return after_[v];
    ++v;
    return v < graph_.vertices.size() && graph_.vertices[v].chained ? v : kNoVertex;
  }

 private:
  const graph::Graph& graph_;
  std::vector<VertexId> after_;  ///< by vertex; empty if each rank has one thread
};

/// The calls of a graph, in the terms of this file.
class Calls {
 public:
  Calls(const graph::Graph& graph, const Successors& successors)
      : graph_(graph), successors_(successors) {
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

  /// The call of a line at a vertex: `inside` if known, otherwise the call that completes the
  /// vertex; or the call before which the vertex computes; or none.
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

  /// The cause for which a receive waits for its send, or a send for its receive.
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

  /// Computation outside calls has the place of the next call.
  Where before(VertexId v) const {
    for (; v != kNoVertex; v = successors_.of(v)) {
      const std::uint32_t call = completing(v);
      if (call != kNoOrigin) return {call, place_of_[call]};
      if (graph_.vertices[v].kind != Kind::calc) break;
    }
    return {};
  }

  const graph::Graph& graph_;
  const Successors& successors_;
  Places places_;
  std::vector<std::uint32_t> place_of_;  ///< by call
};

/// An effort whose memory small programs never need; for others in proportion to the graph.
Effort effort_for(const graph::Graph& graph) {
  const std::size_t vertices = graph.vertices.size();
  return {.first = 32,
          .steps = (std::uint64_t{1} << 21) + 16 * vertices,
          .pairs = (std::size_t{1} << 17) + vertices / 2};
}

/// Algebra of Lowering that numbers starts and ends in an order in which each comes after all those
/// that it waits for.
class Order {
 public:
  struct Instant {};

  explicit Order(const graph::Graph& graph)
      : start_(graph.vertices.size()), end_(graph.vertices.size()) {}

  static Instant origin() { return {}; }
  static Instant add(Instant, const Cost&) { return {}; }
  static Instant join(Instant, Instant) { return {}; }
  static void finished(Instant) {}
  Instant started(VertexId v, Instant) {
    start_[v] = next_++;
    return {};
  }
  Instant ended(VertexId v, Instant) {
    end_[v] = next_++;
    return {};
  }

  /// The place of an instant; for a release, a mark that it is not an end of the vertex.
  std::uint64_t place_of(const Point& point) const {
    if (point.at == Point::At::end) return std::uint64_t{2} * end_[point.vertex];
    const bool release = point.at == Point::At::release;
    return std::uint64_t{2} * start_[point.vertex] + (release ? 1 : 0);
  }

 private:
  std::vector<std::uint32_t> start_;
  std::vector<std::uint32_t> end_;
  std::uint32_t next_ = 0;
};

/// A line for which a crowd waits.
struct Flow {
  Flow(Point point, std::uint32_t line) : point(point), line(line) {}

  Point point;
  double from = 0;
  std::uint32_t line;
  Crowd crowd;
};

class Together;

/// Follows every line back from its end.
class Tracking : private Following<Tracking, Point> {
 public:
  Tracking(const Schedule& schedule, bool each_call, const std::vector<Look>& looks,
           const Effort& effort)
      : Following(schedule.network(), effort),
        graph_(schedule.graph()),
        schedule_(schedule),
        lines_(graph_),
        successors_(graph_, lines_),
        calls_(graph_, successors_),
        each_call_(each_call) {
    find_when_ready();
    find_done_before();
    for (const Look& look : looks) {
      const std::size_t rows = (lines_.count() + look.lines_per_row - 1) / look.lines_per_row;
      result_.seen.push_back({look, rows, std::vector<double>(rows * look.cells * Seen::kKinds)});
    }
    if (!each_call) return;
    result_.call_place = calls_.place_of_each();
    result_.call_before_ns.resize(graph_.calls.size());
    result_.call_within_ns.resize(graph_.calls.size());
  }

  Waits run() {
    std::vector<Point> ends(lines_.count());
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      for (VertexId v = graph_.rank_begin[rank]; v < graph_.rank_begin[rank + 1]; ++v) {
        Point& end = ends[lines_.on(rank, v)];
        const Point point{Point::At::end, v};
        if (!end.exists() || time_of(point) >= time_of(end)) end = point;
      }
    }
    for (std::uint32_t line = 0; line < ends.size(); ++line) {
      result_.lines.push_back({lines_.rank(line), lines_.resource(line)});
      if (ends[line].exists()) follow_own({.point = ends[line], .line = line});
      spent_.take([&](std::size_t key, double ns) {
        result_.spent.push_back({line, static_cast<std::uint32_t>(key / kActivities),
                                 static_cast<Activity>(key % kActivities), ns});
      });
    }
    explain_together(follow_the_rest());
    result_.places = calls_.places();
    take_tables(result_);
    return std::move(result_);
  }

 private:
  friend Lines;
  friend Following;
  friend Together;

  void explain_together(const std::vector<Unfinished>& waits);

  const Vertex& vertex(VertexId v) const { return graph_.vertices[v]; }
  model::ClassId link(VertexId v) const { return schedule_.link(v); }
  double start_ns(VertexId v) const { return schedule_.start_ns(v); }
  double end_ns(VertexId v) const { return schedule_.end_ns(v); }

  /// The instant that a dependency refers to; no point: time zero.
  Point point_of(const graph::Dep& dep) const {
    switch (dep.kind) {
      case DepKind::requires_end:
        return {Point::At::end, dep.vertex};
      case DepKind::requires_start:
        return takes_turns(dep.vertex) ? ready_[dep.vertex] : Point{Point::At::start, dep.vertex};
      case DepKind::released:
      case DepKind::posted:
      case DepKind::served:
        break;
    }
    return {Point::At::release, dep.vertex};
  }

  /// The latest of these points, and the first of equally late ones; no point if none exists.
  class Latest {
   public:
    explicit Latest(const Tracking& times) : times_(times) {}
    void add(const Point& point) {
      if (!point.exists()) return;
      const double ns = times_.time_of(point);
      if (point_.exists() && !(ns > ns_)) return;
      point_ = point;
      ns_ = ns;
    }
    const Point& point() const { return point_; }

   private:
    const Tracking& times_;
    Point point_;
    double ns_ = 0;
  };

  /// A receive that its CPU takes after others is posted before it starts, and an operation that
  /// requires its start may start earlier, too.
  bool takes_turns(VertexId v) const { return !ready_.empty() && takes_turns_[v]; }

  /// Finds, for each receive that takes turns, the instant at which all that it waits for except
  /// its CPU is done. Dependencies other than `served` point backwards; graphs with `served` ones
  /// come from GOAL, and have no chained vertices.
  void find_when_ready() {
    const auto is_served = [](const graph::Dep& dep) { return dep.kind == DepKind::served; };
    if (std::ranges::none_of(graph_.deps, is_served)) return;
    ready_.resize(graph_.vertices.size());
    takes_turns_.resize(graph_.vertices.size());
    for (VertexId v = 0; v < graph_.vertices.size(); ++v) {
      const auto deps = graph_.deps_of(v);
      const bool receives = graph_.vertices[v].kind == Kind::recv;
      if (!receives || std::ranges::none_of(deps, is_served)) continue;
      takes_turns_[v] = true;
      Latest latest(*this);
      for (const graph::Dep& dep : deps) {
        if (!is_served(dep) && dep.kind != DepKind::posted) latest.add(point_of(dep));
      }
      ready_[v] = latest.point();
    }
  }

  /// For ranks with several resources whose operations have no program order (from GOAL): finds the
  /// last operation of each resource at the start of an operation. An operation that ends at that
  /// very instant counts if it held its resource until then. A line that goes back to that
  /// operation comes to an earlier instant before it comes to another line, so lines never form a
  /// cycle.
  void find_done_before() {
    if (!lines_.several() || lines_.several_threads()) return;
    // For each operation of a line: its end, whether it held nothing until then, and its vertex.
    std::vector<std::vector<std::tuple<double, bool, VertexId>>> done(lines_.count());
    const auto each_vertex = [&](auto visit) {
      for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
        for (VertexId v = graph_.rank_begin[rank]; v < graph_.rank_begin[rank + 1]; ++v) {
          visit(v, done[lines_.on(rank, v)]);
        }
      }
    };
    each_vertex([&](VertexId v, auto& own) {
      const double held = vertex(v).kind == Kind::calc ? end_ns(v) - start_ns(v) : overhead(v);
      own.emplace_back(time_of({Point::At::release, v}), held == 0, v);
    });
    for (auto& own : done) std::ranges::sort(own);
    done_before_.assign(graph_.vertices.size(), kNoVertex);
    each_vertex([&](VertexId v, const auto& own) {
      const auto after = std::ranges::upper_bound(own, std::tuple(start_ns(v), false, kNoVertex));
      if (after != own.begin()) done_before_[v] = std::get<VertexId>(*std::prev(after));
    });
  }

  /// The time from which a receive may match; no point: from time zero.
  Point posted(VertexId recv) const {
    Latest latest(*this);
    for (const graph::Dep& dep : graph_.deps_of(recv)) {
      if (dep.kind == DepKind::posted) latest.add(point_of(dep));
    }
    if (latest.point().exists()) return latest.point();
    return takes_turns(recv) ? ready_[recv] : Point{Point::At::start, recv};
  }

  /// The other end of a message, for which a receive or a rendezvous send waits.
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
    return lines_.rank(line.line) == graph_.rank_of(graph_.vertices[v].partner);
  }

  Cause cause(VertexId v) const { return calls_.cause_of(graph_.vertices[v]); }
  Cause cause(const Line& line, VertexId v, const Received& parts) {
    const bool older = line.whom == Whom::itself && first_sent_after(v, parts.sent) < parts.late;
    return older ? Cause::wrong_order : cause(v);
  }

  // --- lines ------------------------------------------------------------------------------------

  /// The predecessor of a vertex on its line; no point: none.
  Point line_before_start(VertexId v) const {
    const Point ordered{Point::At::release, line_before(graph_, v)};
    if (ordered.exists() || done_before_.empty()) return ordered;
    Latest latest(*this);
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      if (dep.kind == DepKind::posted) continue;
      const Point point = point_of(dep);
      if (point.exists() && lines_.of(point.vertex) == lines_.of(v)) latest.add(point);
    }
    latest.add({Point::At::release, done_before_[v]});
    return latest.point();
  }

  Before<Point> before(VertexId v) const {
    Before<Point> found;
    const Point line = line_before_start(v);
    if (line.exists()) found.follows(line, time_of(line));
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      if (dep.kind == DepKind::posted) continue;
      const Point point = point_of(dep);
      if (!point.exists()) continue;
      found.depends(point, time_of(point), dep.kind == DepKind::requires_end);
    }
    // A thread begins at the present point of another one; a CPU exists from time zero.
    if (done_before_.empty()) found.finish();
    return found;
  }

  // Functions that Following requires.

  /// Lines go back vertex by vertex. They soon need the other end of a message further on, which is
  /// elsewhere in memory.
  void comes_to(Line& line, VertexId v) {
    constexpr VertexId kAhead = 8;
    if (v >= kAhead) {
      const VertexId other = graph_.vertices[v - kAhead].partner;
      if (other != kNoVertex) schedule_.expect(other);
    }
    Following::comes_to(line, v);
  }

  std::uint32_t inside_of(VertexId v) const { return graph_.vertices[v].origin; }
  std::uint32_t place(VertexId v, std::uint32_t inside) { return calls_.where(v, inside).place; }
  bool in_collective(VertexId v) const { return calls_.in_collective(graph_.vertices[v]); }
  std::uint32_t partner_line(VertexId v) const { return lines_.of(graph_.vertices[v].partner); }
  std::uint32_t line_of(std::uint32_t line, VertexId v) const {
    return lines_.several() ? lines_.on(lines_.rank(line), v) : line;
  }
  std::uint32_t partner_origin(VertexId v) const {
    return graph_.vertices[graph_.vertices[v].partner].origin;
  }

  void spent(const Line& line, double begin, double end, Activity activity, VertexId v) {
    const Calls::Where where = calls_.where(v, line.inside);
    const auto what = static_cast<std::size_t>(activity);
    show(line.line, begin, end, what);
    spent_.add(std::size_t{where.place} * kActivities + what, end - begin);
    if (each_call_ && where.call != kNoOrigin) {
      const bool between = graph_.vertices[v].origin == kNoOrigin;
      (between ? result_.call_before_ns : result_.call_within_ns)[where.call] += end - begin;
    }
  }

  void waited(const Line& line, double begin, double end, VertexId v) {
    show(line.line, begin, end, kActivities);
    if (!each_call_) return;
    const Calls::Where where = calls_.where(v, line.inside);
    if (where.call != kNoOrigin) result_.call_within_ns[where.call] += end - begin;
  }

  void delayed(const Line& line, Activity activity, VertexId v, std::uint32_t row, double ns) {
    count(line.line, place(v, line.inside), activity, row, ns, line.whom == Whom::direct);
  }

  /// A line's own time from `begin` to `end`, in the cells of the request.
  void show(std::uint32_t line, double begin, double end, std::size_t kind) {
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
      double* row = seen.ns.data() + line / look.lines_per_row * look.cells * Seen::kKinds + kind;
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

  /// For a receive that other receives follow immediately: the time at which the first message of
  /// those receives is sent. `sent`: the time at which its own message is sent. Own lines come here
  /// from the last receive to the first.
  double first_sent_after(VertexId v, double sent) {
    if (!from_point_to_point(v)) return kNever;
    double first = kNever;
    for (VertexId after = successors_.of(v); after != kNoVertex && from_point_to_point(after);
         after = successors_.of(after)) {
      const bool known = after == run_begin_;
      first = std::min(
          first, known ? run_first_sent_ : schedule_.start_ns(graph_.vertices[after].partner));
      if (known) break;
    }
    run_begin_ = v;
    run_first_sent_ = std::min(first, sent);
    return first;
  }

  const graph::Graph& graph_;
  const Schedule& schedule_;
  graph::RankLines lines_;
  Successors successors_;
  Calls calls_;
  bool each_call_;
  std::vector<Point> ready_;       ///< by vertex; empty if no receive takes turns
  std::vector<bool> takes_turns_;  ///< by vertex; empty if no receive takes turns
  /// By vertex: the last operation of its resource at its start; empty if all have an order, or if
  /// each rank has one line.
  std::vector<VertexId> done_before_;
  VertexId run_begin_ = kNoVertex;  ///< first of the consecutive receives so far
  double run_first_sent_ = kNever;  ///< time at which the first of their messages is sent
  Sums spent_;                      ///< time of the current line, by place and activity
  Waits result_;
};

/// Follows the lines behind many waits, each line once for all waits for it, from the last instant
/// to the first. The awaited ranks, places and causes come out as if each wait had been followed;
/// the waiting line is known for direct delays only.
class Together : private Lines<Together, Flow> {
 public:
  explicit Together(Tracking& tracking)
      : Lines(tracking.schedule_.network()), tracking_(tracking), order_(tracking.graph_) {
    Lowering<Order>(tracking.graph_, tracking.schedule_.network().base, order_).run();
  }

  void add(const Tracking::Unfinished& wait) {
    for (const Tracking::Line& line : wait.lines) {
      const double ns = time_of(line.point) - line.from;
      tracking_.count_wait(wait.explained.wait, ns);
      const std::uint32_t kind =
          kind_of({tracking_.waiting_place(wait.explained.wait), line.inside});
      const bool is_direct = line.whom == Whom::direct;
      crowd_at(line.point, line.line)
          .add({.from = line.from,
                .kind = kind,
                .row = is_direct ? wait.explained.wait : kNoRow,
                .is_direct = is_direct});
    }
  }

  /// The steps may grow with the square of the lines here, too, if crowds move on one by one from
  /// wait to wait. The part that crowds have not reached after `most_steps` stays unknown.
  ///
  /// Returns the delays with an unknown waiting line, ns.
  double run(std::uint64_t most_steps) {
    while (!flows_.empty() && steps_ < most_steps) {
      Flow flow = std::move(flows_.extract(std::prev(flows_.end())).mapped());
      flow.from = flow.crowd.from();
      if (step(flow)) crowd_at(flow.point, flow.line).join(std::move(flow.crowd));
    }
    for (const auto& [place, flow] : flows_) {
      const double ns = time_of(flow.point);
      for (const Waiters& each : flow.crowd.waiters()) {
        tracking_.stays_unexplained(each.count * (ns - each.from));
      }
    }
    return std::max(0.0, unpaired_ns_);
  }

 private:
  friend Lines;

  /// The common properties of waits: their place, and the wait for all of a line.
  struct Kind {
    std::uint32_t waiting_place;
    std::uint32_t inside;
  };

  std::uint32_t kind_of(const Kind& kind) {
    const std::uint64_t key = std::uint64_t{kind.waiting_place} << 32 | kind.inside;
    const auto [found, is_new] =
        number_.try_emplace(key, static_cast<std::uint32_t>(kinds_.size()));
    if (is_new) kinds_.push_back(kind);
    return found->second;
  }

  Crowd& crowd_at(Point point, std::uint32_t line) {
    if (point.at == Point::At::release && !runs_on(vertex(point.vertex))) point.at = Point::At::end;
    return flows_.try_emplace(order_.place_of(point), point, line).first->second.crowd;
  }

  // Functions that Lines requires.

  const Vertex& vertex(VertexId v) const { return tracking_.vertex(v); }
  model::ClassId link(VertexId v) const { return tracking_.link(v); }
  double start_ns(VertexId v) const { return tracking_.start_ns(v); }
  double end_ns(VertexId v) const { return tracking_.end_ns(v); }
  Before<Point> before(VertexId v) const { return tracking_.before(v); }
  Tracking::Awaited awaited(VertexId v) const { return tracking_.awaited(v); }
  bool to_itself(const Flow& flow, VertexId v) const {
    return tracking_.lines_.rank(flow.line) == tracking_.lines_.rank(tracking_.partner_line(v));
  }
  Cause cause(VertexId v) const { return tracking_.cause(v); }
  Cause cause(const Flow&, VertexId v, const Received&) const { return tracking_.cause(v); }
  static void comes_to(const Flow&, VertexId) {}
  static void lost(double) {}  // nothing precedes time zero
  bool goes_on(Flow& flow) {
    const std::uint32_t line = tracking_.line_of(flow.line, flow.point.vertex);
    if (line == flow.line) return true;
    wait_for(flow, 0, time_of(flow.point), flow.point, line);
    return false;
  }

  bool spend(Flow& flow, double begin, double end, Activity activity, VertexId v) {
    if (!(begin < end)) return true;
    Crowd& crowd = flow.crowd;
    const auto delayed = [&](std::uint32_t kind, double ns, bool is_direct) {
      if (ns == 0) return;
      ++steps_;
      const auto& [waiting_place, inside] = kinds_[kind];
      tracking_.count_place(flow.line, tracking_.place(v, inside), activity, waiting_place, ns,
                            is_direct);
      unpaired_ns_ += ns;
    };
    crowd.leave(begin, [&](const Waiters& last) {
      delayed(last.kind, (end - last.from) * last.count, last.is_direct);
      pair(flow, last, end - last.from);
    });
    for (const Crowd::Count& each : crowd.counts()) {
      delayed(each.kind, (end - begin) * each.direct, true);
      delayed(each.kind, (end - begin) * each.indirect, false);
    }
    crowd.was_active(end - begin);
    return !crowd.empty();
  }

  bool wait(Flow& flow, double begin, double end, Cause, VertexId v,
            const Tracking::Awaited& awaited) {
    if (!(begin < end)) return true;
    const Point point = awaited.point;
    return wait_for(flow, begin, end, point,
                    tracking_.line_of(tracking_.partner_line(v), point.vertex));
  }

  bool wait_for(Flow& flow, double begin, double end, Point point, std::uint32_t line) {
    const auto indirectly = [&](double from, double count, std::uint32_t kind) {
      const std::uint32_t waiting_place = kinds_[kind].waiting_place;
      moving_.push_back(
          {.from = from, .count = count, .kind = kind_of({waiting_place, kNoOrigin})});
    };
    flow.crowd.leave(begin, [&](const Waiters& last) {
      if (last.from < end) indirectly(last.from, last.count, last.kind);
      pair(flow, last, 0);
    });
    for (const Crowd::Count& each : flow.crowd.counts()) indirectly(begin, each.all(), each.kind);
    move_to(crowd_at(point, line));
    return !flow.crowd.empty();
  }

  /// Merges waits that have become equal.
  void move_to(Crowd& other) {
    steps_ += moving_.size();
    const auto key = [](const Waiters& each) { return std::pair(each.from, each.kind); };
    std::ranges::sort(moving_, {}, key);
    for (std::size_t i = 0, last = 0; i < moving_.size(); i = last) {
      Waiters together = moving_[i];
      for (last = i + 1; last < moving_.size() && key(moving_[last]) == key(together); ++last) {
        together.count += moving_[last].count;
      }
      other.add(together);
    }
    moving_.clear();
  }

  void joins(Flow& flow, Point point, double from, VertexId v, bool is_end) {
    const std::uint32_t line = tracking_.line_of(flow.line, point.vertex);
    if (line != flow.line) {
      wait_for(flow, from, time_of(point), point, line);
      return;
    }
    Crowd& other = crowd_at(point, line);
    const auto join = [&](Waiters waiters) {
      ++steps_;
      Kind kind = kinds_[waiters.kind];
      if (is_end && kind.inside == kNoOrigin) kind.inside = tracking_.inside_of(v);
      waiters.kind = kind_of(kind);
      other.add(waiters);
    };
    flow.crowd.leave(from, [&](const Waiters& last) {
      pair(flow, last, 0);
      join(last);
    });
    for (const Crowd::Count& each : flow.crowd.counts()) {
      if (each.direct > 0) {
        join({.from = from, .count = each.direct, .kind = each.kind, .is_direct = true});
      }
      if (each.indirect > 0) join({.from = from, .count = each.indirect, .kind = each.kind});
    }
  }

  /// A single direct wait leaves the line, after it has waited another `more` ns for the line's
  /// activity.
  void pair(const Flow& flow, const Waiters& last, double more) {
    if (last.row == kNoRow) return;
    const double ns = flow.crowd.active_ns() - last.active_ns + more;
    if (ns == 0) return;
    tracking_.count_line(flow.line, last.row, ns, true);
    unpaired_ns_ -= ns;
  }

  Tracking& tracking_;
  Order order_;
  std::map<std::uint64_t, Flow> flows_;  ///< by the places of their points
  std::vector<Kind> kinds_;
  std::unordered_map<std::uint64_t, std::uint32_t> number_;  ///< number of each kind
  std::vector<Waiters> moving_;  ///< on their way from one crowd to another
  std::uint64_t steps_ = 0;
  double unpaired_ns_ = 0;
};

void Tracking::explain_together(const std::vector<Unfinished>& waits) {
  if (waits.empty()) return;
  Together together(*this);
  for (const Unfinished& each : waits) together.add(each);
  result_.unpaired_ns = together.run(effort_for(graph_).steps);
}

}  // namespace

Waits waits(const Schedule& schedule, bool each_call, const std::vector<Look>& looks,
            std::optional<Effort> effort) {
  return Tracking(schedule, each_call, looks, effort.value_or(effort_for(schedule.graph()))).run();
}

}  // namespace latitude::solve
