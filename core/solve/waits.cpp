#include "core/solve/waits.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {
namespace {

using graph::DepKind;
using graph::Kind;
using graph::kNoOrigin;
using graph::kNoVertex;
using graph::Vertex;
using graph::VertexId;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Algebra of Lowering: an instant is ns on one network; what it computes is kept.
class Times {
 public:
  using Instant = double;

  Times(const graph::Graph& graph, const model::Network& network)
      : network_(network),
        links_(graph, network),
        start_(graph.vertices.size()),
        end_(graph.vertices.size()) {
    order_.reserve(2 * graph.vertices.size());
  }

  static double origin() { return 0; }
  double add(double at, const Cost& cost) const {
    const model::LinkClass& link = network_.classes[links_.of(cost)];
    return at + (cost.ns + cost.overheads * network_.base.o + cost.latencies * link.L +
                 cost.bytes * link.G);
  }
  static double join(double a, double b) { return std::max(a, b); }
  double started(VertexId v, double at) {
    order_.push_back(v << 1);
    return start_[v] = at;
  }
  double ended(VertexId v, double at) {
    order_.push_back(v << 1 | 1);
    return end_[v] = at;
  }
  static void finished(double) {}

  double start(VertexId v) const { return start_[v]; }
  double end(VertexId v) const { return end_[v]; }
  /// Starts (2v) and ends (2v + 1): each comes after all that it depends on.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  const model::Network& network_;
  Links links_;
  std::vector<double> start_;
  std::vector<double> end_;
  std::vector<std::uint32_t> order_;
};

/// An instant of a vertex.
struct Point {
  enum class At : std::uint8_t { start, release, end } at = At::start;
  VertexId vertex = kNoVertex;

  bool exists() const { return vertex != kNoVertex; }
};

/// What a collective makes its members wait for.
Cause cause_of_collective(trace::Call call) {
  using trace::Call;
  switch (trace::blocking_form(call)) {
    case Call::Barrier:
      return Cause::barrier;
    case Call::Reduce:
    case Call::Gather:
    case Call::Gatherv:
      return Cause::early_reduce;
    case Call::Bcast:
    case Call::Scatter:
    case Call::Scatterv:
      return Cause::late_broadcast;
    case Call::Scan:
    case Call::Exscan:
      return Cause::early_scan;
    default:
      return Cause::n_to_n;
  }
}

bool is_collective(trace::Call call) {
  switch (trace::class_of(call)) {
    case trace::CallClass::collective:
    case trace::CallClass::icollective:
    case trace::CallClass::collective_init:
    case trace::CallClass::comm_create:
      return true;
    default:
      return false;
  }
}

/// What the calls of a graph mean here.
class Calls {
 public:
  explicit Calls(const graph::Graph& graph) : graph_(graph), places_(1) {
    std::map<Place, std::uint32_t> known;
    for (const graph::CallRecord& call : graph.calls) {
      const auto [at, is_new] = known.try_emplace(Place{call.call, call.site},
                                                  static_cast<std::uint32_t>(places_.size()));
      if (is_new) places_.push_back(at->first);
      place_of_.push_back(at->second);
    }
  }

  const std::vector<Place>& places() const { return places_; }

  /// The call of a vertex; of computation that no call does, the call after it; or kNoOrigin.
  std::uint32_t call_of(VertexId v) const {
    if (place_of_.empty()) return kNoOrigin;
    for (; v < graph_.vertices.size(); ++v) {
      const Vertex& vertex = graph_.vertices[v];
      if (vertex.origin != kNoOrigin) return vertex.origin;
      const bool last = v + 1 < graph_.vertices.size() && !graph_.vertices[v + 1].chained;
      if (vertex.kind != Kind::calc || last) break;
    }
    return kNoOrigin;
  }

  std::uint32_t place_of_call(std::uint32_t call) const {
    return call == kNoOrigin ? 0 : place_of_[call];
  }

  bool in_collective(const Vertex& vertex) const {
    return vertex.origin != kNoOrigin && is_collective(graph_.calls[vertex.origin].call);
  }

  /// Why a receive waits for its send, or a send for its receive.
  Cause cause_of(const Vertex& vertex) const {
    const bool receives = vertex.kind == Kind::recv;
    if (!in_collective(vertex)) return receives ? Cause::late_sender : Cause::late_receiver;
    const Cause cause = cause_of_collective(graph_.calls[vertex.origin].call);
    const bool rooted = cause == Cause::early_reduce || cause == Cause::late_broadcast;
    return rooted && !receives ? Cause::late_receiver : cause;
  }

 private:
  const graph::Graph& graph_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_of_;  ///< by call
};

/// Rows with sums, by up to 64 bits of key.
template <class Row>
class Rows {
 public:
  std::uint32_t index(std::uint64_t key, const Row& fresh) {
    const auto [at, is_new] = index_.try_emplace(key, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) rows_.push_back(fresh);
    return at->second;
  }
  Row& operator[](std::uint32_t index) { return rows_[index]; }
  Row& row(std::uint64_t key, const Row& fresh) { return rows_[index(key, fresh)]; }

  std::vector<Row> sorted() && {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order(index_.begin(), index_.end());
    std::ranges::sort(order);
    std::vector<Row> result;
    result.reserve(order.size());
    for (const auto& [key, index] : order) result.push_back(rows_[index]);
    return result;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<Row> rows_;
};

/// Follows every rank's line back from its end, and from each wait on it the line of the rank that
/// is waited for. A follower is a stretch of time on the way back along a line: its rank's own
/// (`itself`), or another's, for the wait that it explains.
class Tracking {
 public:
  Tracking(const graph::Graph& graph, const model::Network& network, const Times& times)
      : graph_(graph),
        network_(network.base),
        times_(times),
        calls_(graph),
        at_start_(graph.vertices.size(), kNone),
        at_release_(graph.vertices.size(), kNone),
        at_end_(graph.vertices.size(), kNone) {
    result_.places = calls_.places();
    result_.call_before_ns.resize(graph.calls.size());
    result_.call_within_ns.resize(graph.calls.size());
    find_later_sends();
    follow_ranks();
  }

  Waits run() {
    const std::vector<std::uint32_t>& order = times_.order();
    for (std::size_t i = order.size(); i-- > 0;) {
      const VertexId v = order[i] >> 1;
      if ((order[i] & 1) != 0) {
        leave_end(v);
      } else {
        leave_release(v);
        leave_start(v);
      }
    }
    result_.spent = std::move(spent_).sorted();
    result_.waits = std::move(waits_).sorted();
    std::erase_if(result_.waits, [](const Wait& wait) { return wait.ns == 0; });
    result_.delays = std::move(delays_).sorted();
    result_.behind_ranks = std::move(behind_ranks_).sorted();
    result_.behind_places = std::move(behind_places_).sorted();
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  enum class Whom : std::uint8_t { itself, direct, indirect };

  struct Follower {
    double from = 0;               ///< of a stretch that ends where the follower is
    std::uint32_t next = kNone;    ///< in the list of those at a point
    std::uint32_t rank = 0;        ///< whose time it is
    std::uint32_t wait = kNone;    ///< index of the row where others have not entered the call yet
    std::uint32_t within = kNone;  ///< where they have; kNone outside collectives
    std::uint32_t origin = kNoOrigin;  ///< the call of the followed rank, while the line is in it
    Whom whom = Whom::itself;
  };

  bool rendezvous(const Vertex& message) const {
    return message.synchronous || static_cast<std::uint64_t>(message.value) > network_.S;
  }

  double overhead(const Vertex& message) const {
    return network_.O * model::gap_bytes(message.value) + network_.o;
  }

  /// Whether its CPU goes on before it ends.
  bool runs_on(const Vertex& vertex) const {
    return vertex.kind == Kind::send && !vertex.blocking && rendezvous(vertex);
  }

  double time_of(Point point) const {
    if (point.at == Point::At::start) return times_.start(point.vertex);
    const Vertex& vertex = graph_.vertices[point.vertex];
    if (point.at == Point::At::end || !runs_on(vertex)) return times_.end(point.vertex);
    return times_.start(point.vertex) + overhead(vertex);
  }

  /// When a receive may match from.
  Point posted(VertexId recv) const {
    Point latest{Point::At::start, recv};
    double time = -kNever;
    for (const graph::Dep& dep : graph_.deps_of(recv)) {
      if (dep.kind != DepKind::posted) continue;
      const Point point{Point::At::release, dep.vertex};
      if (time_of(point) > time) {
        latest = point;
        time = time_of(point);
      }
    }
    return latest;
  }

  // --- lines ------------------------------------------------------------------------------------

  /// What a vertex starts after: what is before it on its line and, where that is not the latest,
  /// the other that it waits for.
  struct Before {
    Point line;
    Point other;
  };

  Before before(VertexId v) const {
    Before found;
    const bool chained = graph_.vertices[v].chained;
    if (chained) found.line = {Point::At::release, v - 1};
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      if (!chained && dep.kind == DepKind::released) found.line = {Point::At::release, dep.vertex};
    }
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      if (dep.kind == DepKind::posted) continue;
      const Point point{dep.kind == DepKind::released       ? Point::At::release
                        : dep.kind == DepKind::requires_end ? Point::At::end
                                                            : Point::At::start,
                        dep.vertex};
      const Point latest = found.other.exists() ? found.other : found.line;
      if (!latest.exists() || time_of(point) > time_of(latest)) found.other = point;
    }
    if (!found.line.exists()) found.line = std::exchange(found.other, {});
    return found;
  }

  std::uint32_t& list_at(Point point) {
    if (point.at == Point::At::start) return at_start_[point.vertex];
    const bool end = point.at == Point::At::end || !runs_on(graph_.vertices[point.vertex]);
    return end ? at_end_[point.vertex] : at_release_[point.vertex];
  }

  void attach(const Follower& follower, Point point) {
    std::uint32_t at = free_;
    if (at == kNone) {
      at = static_cast<std::uint32_t>(followers_.size());
      followers_.push_back(follower);
    } else {
      free_ = followers_[at].next;
      followers_[at] = follower;
    }
    std::uint32_t& list = list_at(point);
    followers_[at].next = std::exchange(list, at);
  }

  /// All of a list, in `list`, to `point`.
  void move(std::uint32_t list, Point point) {
    if (list == kNone) return;
    std::uint32_t& onto = list_at(point);
    std::uint32_t last = list;
    while (followers_[last].next != kNone) last = followers_[last].next;
    followers_[last].next = std::exchange(onto, list);
  }

  /// Calls `visit(follower, from)` for each of the list that is on [begin, end); those that go on
  /// before `begin` stay in the list.
  template <class Visit>
  void pass(std::uint32_t& list, double begin, double end, Visit visit) {
    if (!(begin < end)) return;
    std::uint32_t kept = kNone;
    for (std::uint32_t at = list; at != kNone;) {
      const Follower follower = followers_[at];  // `visit` may move them
      visit(follower, std::max(begin, follower.from));
      if (follower.from < begin) {
        followers_[at].next = std::exchange(kept, at);
      } else {
        followers_[at].next = std::exchange(free_, at);
      }
      at = follower.next;
    }
    list = kept;
  }

  /// [begin, end) of v's rank is an activity at v.
  void spend(std::uint32_t& list, double begin, double end, Activity activity, VertexId v) {
    double direct = 0;
    double indirect = 0;
    const auto what = static_cast<std::size_t>(activity);
    if (list == kNone) return;
    const std::uint32_t call = calls_.call_of(v);
    const std::uint32_t place = calls_.place_of_call(call);
    const std::uint32_t rank = graph_.rank_of(v);
    const std::uint64_t key = (std::uint64_t{rank} << 32 | place) * kActivities + what;
    pass(list, begin, end, [&](const Follower& follower, double from) {
      const double ns = end - from;
      if (follower.whom == Whom::itself) {
        spent_.row(key, {rank, place, activity}).ns += ns;
        if (call != kNoOrigin) {
          const bool between = graph_.vertices[v].origin == kNoOrigin;
          (between ? result_.call_before_ns : result_.call_within_ns)[call] += ns;
        }
        return;
      }
      const bool within = follower.origin != kNoOrigin && follower.within != kNone;
      Wait& wait = waits_[within ? follower.within : follower.wait];
      wait.ns += ns;
      const bool is_direct = follower.whom == Whom::direct;
      (is_direct ? direct : indirect) += ns;
      add(behind_ranks_, rank, wait.rank, ns, is_direct);
      add(behind_places_, place, wait.place, ns, is_direct);
    });
    if (direct + indirect == 0) return;
    Delay& delay = delays_.row(key, {rank, place, activity});
    delay.direct_ns += direct;
    delay.indirect_ns += indirect;
  }

  static void add(Rows<Behind>& rows, std::uint32_t delaying, std::uint32_t waiting, double ns,
                  bool is_direct) {
    const std::uint64_t key = std::uint64_t{delaying} << 32 | waiting;
    Behind& row = rows.row(key, {delaying, waiting});
    (is_direct ? row.direct_ns : row.indirect_ns) += ns;
  }

  /// In [begin, end) v waits for `awaited`, of its message's other end.
  void wait(std::uint32_t& list, double begin, double end, VertexId v, Cause cause, Point awaited) {
    const Vertex& vertex = graph_.vertices[v];
    const std::uint32_t entered = graph_.vertices[vertex.partner].origin;
    pass(list, begin, end, [&](const Follower& follower, double from) {
      Follower other = follower;
      other.from = from;
      if (follower.whom == Whom::itself) {
        const std::uint32_t call = calls_.call_of(v);
        const std::uint32_t place = calls_.place_of_call(call);
        if (call != kNoOrigin) result_.call_within_ns[call] += end - from;
        const bool collective = calls_.in_collective(vertex);
        other.whom = Whom::direct;
        other.wait = row_of(follower.rank, place, cause);
        other.within = collective ? row_of(follower.rank, place, Cause::completion) : kNone;
        other.origin = collective ? entered : kNoOrigin;
      } else {
        other.whom = Whom::indirect;
        if (follower.origin != kNoOrigin) other.origin = entered;
      }
      attach(other, awaited);
    });
  }

  std::uint32_t row_of(std::uint32_t rank, std::uint32_t place, Cause cause) {
    const std::uint64_t key =
        (std::uint64_t{rank} << 32 | place) * kCauses + static_cast<std::size_t>(cause);
    return waits_.index(key, {rank, place, cause});
  }

  // --- the way back -----------------------------------------------------------------------------

  /// Followers that come to another call than the one they are in have left it.
  void enter_vertex(std::uint32_t list, const Vertex& vertex) {
    for (; list != kNone; list = followers_[list].next) {
      if (followers_[list].origin != vertex.origin) followers_[list].origin = kNoOrigin;
    }
  }

  void leave_end(VertexId v) {
    std::uint32_t list = std::exchange(at_end_[v], kNone);
    if (list == kNone) return;
    const Vertex& vertex = graph_.vertices[v];
    enter_vertex(list, vertex);
    switch (vertex.kind) {
      case Kind::calc:
        spend(list, times_.start(v), times_.end(v), Activity::computation, v);
        break;
      case Kind::send:
        leave_send(list, v, vertex);
        break;
      case Kind::recv:
        leave_recv(list, v, vertex);
        break;
    }
    move(list, {Point::At::start, v});
  }

  void leave_send(std::uint32_t& list, VertexId v, const Vertex& vertex) {
    const double start = times_.start(v);
    const double end = times_.end(v);
    if (!rendezvous(vertex)) {
      spend(list, start, end, Activity::overhead, v);
      return;
    }
    const bool sync = network_.rendezvous == model::Rendezvous::sync ||
                      graph_.rank_of(v) == graph_.rank_of(vertex.partner);
    const bool copies_last = vertex.blocking && !sync;  // O is paid at the end
    const double copying = copies_last ? overhead(vertex) - network_.o : 0;
    const double held = std::min(end, start + overhead(vertex) - copying);
    const double sent = std::max(held, end - copying);
    const Point awaited = posted(vertex.partner);
    const double late = std::clamp(time_of(awaited), held, sent);
    spend(list, sent, end, Activity::overhead, v);
    spend(list, late, sent, Activity::transfer, v);
    wait(list, held, late, v, calls_.cause_of(vertex), awaited);
    spend(list, start, held, Activity::overhead, v);
  }

  void leave_recv(std::uint32_t& list, VertexId v, const Vertex& vertex) {
    const double start = times_.start(v);
    const double end = times_.end(v);
    const double there = std::max(start, end - overhead(vertex));
    const Point awaited{Point::At::start, vertex.partner};
    const double late = std::clamp(time_of(awaited), start, there);
    spend(list, there, end, Activity::overhead, v);
    spend(list, late, there, Activity::transfer, v);
    const bool older = !later_sent_.empty() && later_sent_[v] < late;
    wait(list, start, late, v, older ? Cause::wrong_order : calls_.cause_of(vertex), awaited);
  }

  /// A send that goes on in the background releases its CPU after its overhead.
  void leave_release(VertexId v) {
    std::uint32_t list = std::exchange(at_release_[v], kNone);
    if (list == kNone) return;
    enter_vertex(list, graph_.vertices[v]);
    spend(list, times_.start(v), time_of({Point::At::release, v}), Activity::overhead, v);
    move(list, {Point::At::start, v});
  }

  void leave_start(VertexId v) {
    std::uint32_t list = std::exchange(at_start_[v], kNone);
    if (list == kNone) return;
    const auto [line, other] = before(v);
    const double begin = line.exists() ? time_of(line) : 0;
    const double known = other.exists() ? time_of(other) : begin;
    spend(list, known, times_.start(v), Activity::overhead, v);  // the gap to the message before
    if (other.exists()) {
      pass(list, begin, known, [&](Follower follower, double from) {
        follower.from = from;
        attach(follower, other);
      });
    }
    if (line.exists()) move(list, line);
  }

  // --- preparation ------------------------------------------------------------------------------

  bool from_point_to_point(VertexId v) const {
    const Vertex& vertex = graph_.vertices[v];
    return vertex.kind == Kind::recv && !calls_.in_collective(vertex);
  }

  /// Of receives that others follow at once: when the first of those messages is sent.
  void find_later_sends() {
    for (VertexId v = static_cast<VertexId>(graph_.vertices.size()); v-- > 1;) {
      const Vertex& vertex = graph_.vertices[v];
      if (!vertex.chained || !from_point_to_point(v) || !from_point_to_point(v - 1)) continue;
      if (later_sent_.empty()) later_sent_.assign(graph_.vertices.size(), kNever);
      later_sent_[v - 1] = std::min(times_.start(vertex.partner), later_sent_[v]);
    }
  }

  void follow_ranks() {
    for (std::uint32_t rank = 0; rank < graph_.ranks(); ++rank) {
      Point last;
      for (VertexId v = graph_.rank_begin[rank]; v < graph_.rank_begin[rank + 1]; ++v) {
        const Point point{Point::At::end, v};
        if (!last.exists() || time_of(point) >= time_of(last)) last = point;
      }
      Follower follower;
      follower.rank = rank;
      if (last.exists()) attach(follower, last);
    }
  }

  const graph::Graph& graph_;
  const model::LogGPS& network_;
  const Times& times_;
  Calls calls_;
  std::vector<double> later_sent_;  ///< by receive; empty where there are no such receives
  std::vector<Follower> followers_;
  std::uint32_t free_ = kNone;
  std::vector<std::uint32_t> at_start_;  ///< by vertex: the first of those at that point
  std::vector<std::uint32_t> at_release_;
  std::vector<std::uint32_t> at_end_;
  Rows<Spent> spent_;
  Rows<Wait> waits_;
  Rows<Delay> delays_;
  Rows<Behind> behind_ranks_;
  Rows<Behind> behind_places_;
  Waits result_;
};

}  // namespace

std::string_view name_of(Cause cause) noexcept {
  static constexpr std::array<std::string_view, kCauses> kNames{
      "late_sender",    "wrong_order", "late_receiver", "early_reduce", "early_scan",
      "late_broadcast", "n_to_n",      "barrier",       "completion"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string_view name_of(Activity activity) noexcept {
  static constexpr std::array<std::string_view, kActivities> kNames{"computation", "overhead",
                                                                    "transfer"};
  return kNames[static_cast<std::size_t>(activity)];
}

Waits waits(const graph::Graph& graph, const model::Network& network) {
  if (graph.vertices.size() >= kNoVertex / 2) {
    throw InputError(
        "waits by cause need a graph of fewer than 2147483647 vertices; analyse a shorter run");
  }
  network.check(graph.ranks());
  Times times(graph, network);
  Lowering<Times>(graph, network.base, times).run();
  return Tracking(graph, network, times).run();
}

}  // namespace latitude::solve
