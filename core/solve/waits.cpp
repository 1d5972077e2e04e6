#include "core/solve/waits.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

namespace latitude::solve {
namespace {

using graph::DepKind;
using graph::Kind;
using graph::kNoOrigin;
using graph::kNoVertex;
using graph::Vertex;
using graph::VertexId;

constexpr double kNever = std::numeric_limits<double>::infinity();

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

constexpr std::uint32_t kNone = 0xffffffffU;

/// Rows with sums, by 64 bits of key: a table with open addresses, as each piece of time asks it.
template <class Row>
class Rows {
 public:
  std::uint32_t index(std::uint64_t key, const Row& fresh) {
    if (key == last_key_ && last_ != kNone) return last_;
    if (2 * rows_.size() >= entries_.size()) grow();
    Entry& entry = entry_of(key);
    if (entry.row == kNone) {
      entry = {key, static_cast<std::uint32_t>(rows_.size())};
      rows_.push_back(fresh);
    }
    last_key_ = key;
    last_ = entry.row;
    return last_;
  }
  Row& operator[](std::uint32_t index) { return rows_[index]; }
  Row& row(std::uint64_t key, const Row& fresh) { return rows_[index(key, fresh)]; }
  std::size_t size() const { return rows_.size(); }

  std::vector<Row> sorted() && {
    std::erase_if(entries_, [](const Entry& entry) { return entry.row == kNone; });
    std::ranges::sort(entries_, {}, &Entry::key);
    std::vector<Row> result;
    result.reserve(entries_.size());
    for (const Entry& entry : entries_) result.push_back(rows_[entry.row]);
    return result;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t row = kNone;
  };

  Entry& entry_of(std::uint64_t key) {
    constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15U;
    std::size_t at = (key * kGoldenRatio) >> shift_;
    while (entries_[at].row != kNone && entries_[at].key != key) {
      at = at + 1 == entries_.size() ? 0 : at + 1;
    }
    return entries_[at];
  }

  void grow() {
    const std::vector<Entry> before =
        std::exchange(entries_, std::vector<Entry>(2 * entries_.size()));
    --shift_;
    for (const Entry& entry : before) {
      if (entry.row != kNone) entry_of(entry.key) = entry;
    }
  }

  static constexpr int kBits = 6;
  int shift_ = 64 - kBits;
  std::vector<Entry> entries_{std::size_t{1} << kBits};
  std::vector<Row> rows_;
  std::uint64_t last_key_ = 0;
  std::uint32_t last_ = kNone;
};

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
  explicit Calls(const graph::Graph& graph) : graph_(graph), places_(1) {
    std::map<Place, std::uint32_t> known;
    place_of_.reserve(graph.calls.size());
    for (std::size_t i = 0; i < graph.calls.size(); ++i) {
      const graph::CallRecord call = graph.calls[i];
      const auto [at, is_new] = known.try_emplace(Place{call.call, call.site},
                                                  static_cast<std::uint32_t>(places_.size()));
      if (is_new) places_.push_back(at->first);
      place_of_.push_back(at->second);
    }
  }

  const std::vector<Place>& places() const { return places_; }
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
    const std::uint32_t place = place_of_[call];
    if (call == posted || place == place_of_[posted]) return {call, place};
    return {call, both(place, place_of_[posted])};
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

  /// One place completes what another has posted.
  std::uint32_t both(std::uint32_t completing, std::uint32_t posting) {
    const std::uint64_t key = std::uint64_t{completing} << 32 | posting;
    const std::uint32_t pair = pairs_.index(key, static_cast<std::uint32_t>(places_.size()));
    if (pairs_[pair] == places_.size()) {
      Place place = places_[completing];
      place.posted_call = places_[posting].call;
      place.posted_site = places_[posting].site;
      places_.push_back(place);
    }
    return pairs_[pair];
  }

  const graph::Graph& graph_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_of_;  ///< by call
  Rows<std::uint32_t> pairs_;            ///< places of what others have posted
};

/// Follows every rank's line back from its end, and from each wait on it the line of the rank that
/// is waited for, at once: of a line, only the stretch of time that is asked for.
class Tracking {
 public:
  Tracking(const Schedule& schedule, bool each_call, const std::vector<Look>& looks)
      : graph_(schedule.graph()),
        network_(schedule.network().base),
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
      while (!own_.empty()) {
        const Line line = own_.back();
        own_.pop_back();
        follow(line);
      }
      spent_.take([&](std::size_t key, double ns) {
        result_.spent.push_back({rank, static_cast<std::uint32_t>(key / kActivities),
                                 static_cast<Activity>(key % kActivities), ns});
      });
    }
    result_.places = calls_.places();
    result_.waits = std::move(waits_).sorted();
    std::erase_if(result_.waits, [](const Wait& wait) { return wait.ns == 0; });
    result_.delays = std::move(delays_).sorted();
    result_.behind_ranks = std::move(behind_ranks_).sorted();
    result_.behind_places = std::move(behind_places_).sorted();
    return std::move(result_);
  }

 private:
  enum class Whom : std::uint8_t { itself, direct, indirect };

  /// A stretch of a line, which ends at `point` and begins at the time `from`: of a rank's own
  /// line, or of another's for the wait that it explains.
  struct Line {
    Point point;
    Whom whom = Whom::itself;
    double from = 0;
    std::uint32_t rank = 0;
    std::uint32_t inside = kNoOrigin;  ///< the call that waits for all of it
    std::uint32_t origin = kNoOrigin;  ///< the call of the followed rank, while the line is in it
  };

  /// The wait that lines are followed for.
  struct Explained {
    std::uint32_t wait = kNone;    ///< index of the row where others have not entered the call yet
    std::uint32_t within = kNone;  ///< where they have; kNone outside collectives
  };

  bool rendezvous(const Vertex& message) const {
    return message.synchronous ||
           static_cast<std::uint64_t>(message.value) > network_.eager_limit(message.immediate);
  }

  double overhead(const Vertex& message) const {
    return network_.O * model::gap_bytes(message.value) + network_.o;
  }

  /// Whether its CPU goes on before it ends.
  bool runs_on(const Vertex& vertex) const {
    return vertex.kind == Kind::send && !vertex.blocking && rendezvous(vertex);
  }

  double time_of(Point point) const {
    if (point.at == Point::At::start) return schedule_.start_ns(point.vertex);
    const Vertex& vertex = graph_.vertices[point.vertex];
    if (point.at == Point::At::end || !runs_on(vertex)) return schedule_.end_ns(point.vertex);
    return schedule_.start_ns(point.vertex) + overhead(vertex);
  }

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

  // --- lines ------------------------------------------------------------------------------------

  /// What a vertex starts after: what is before it on its line and, where that is not the latest,
  /// the other that it waits for.
  struct Before {
    Point line;
    Point other;
    bool is_end = false;  ///< of the other
  };

  Before before(VertexId v) const {
    Before found;
    const bool chained = graph_.vertices[v].chained;
    if (chained) found.line = {Point::At::release, v - 1};
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      const bool follows = dep.kind == DepKind::released || dep.kind == DepKind::served;
      if (!chained && follows) found.line = {Point::At::release, dep.vertex};
    }
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      if (dep.kind == DepKind::posted) continue;
      const Point point = point_of(dep);
      const Point latest = found.other.exists() ? found.other : found.line;
      if (!latest.exists() || time_of(point) > time_of(latest)) {
        found.other = point;
        found.is_end = dep.kind == DepKind::requires_end;
      }
    }
    if (!found.line.exists()) found.line = std::exchange(found.other, {});
    return found;
  }

  void start_with(std::uint32_t rank) {
    Line line;
    line.rank = rank;
    for (VertexId v = graph_.rank_begin[rank]; v < graph_.rank_begin[rank + 1]; ++v) {
      const Point point{Point::At::end, v};
      if (!line.point.exists() || time_of(point) >= time_of(line.point)) line.point = point;
    }
    if (line.point.exists()) own_.push_back(line);
  }

  void follow(Line line) {
    for (bool goes_on = true; goes_on;) {
      const VertexId v = line.point.vertex;
      if (line.point.at == Point::At::start) {
        goes_on = leave_start(line, v);
        continue;
      }
      const Vertex& vertex = graph_.vertices[v];
      if (line.origin != vertex.origin) line.origin = kNoOrigin;  // it has left the call
      if (line.point.at == Point::At::release && runs_on(vertex)) {
        goes_on = spend(line, schedule_.start_ns(v), time_of(line.point), Activity::overhead, v);
      } else {
        goes_on = leave_end(line, v, vertex);
      }
      line.point.at = Point::At::start;
    }
  }

  /// [begin, end) of a line is an activity at v. False: the line begins there.
  bool spend(const Line& line, double begin, double end, Activity activity, VertexId v) {
    if (!(begin < end)) return true;
    const double ns = end - std::max(begin, line.from);
    const Calls::Where where = calls_.where(v, line.inside);
    const auto what = static_cast<std::size_t>(activity);
    if (line.whom == Whom::itself) {
      show(line.rank, end - ns, end, what);
      spent_.add(std::size_t{where.place} * kActivities + what, ns);
      if (each_call_ && where.call != kNoOrigin) {
        const bool between = graph_.vertices[v].origin == kNoOrigin;
        (between ? result_.call_before_ns : result_.call_within_ns)[where.call] += ns;
      }
    } else {
      const bool within = line.origin != kNoOrigin && explained_.within != kNone;
      Wait& wait = waits_[within ? explained_.within : explained_.wait];
      wait.ns += ns;
      const bool is_direct = line.whom == Whom::direct;
      const std::uint64_t key = (std::uint64_t{line.rank} << 32 | where.place) * kActivities + what;
      Delay& delay = delays_.row(key, {line.rank, where.place, activity});
      (is_direct ? delay.direct_ns : delay.indirect_ns) += ns;
      add(behind_ranks_, line.rank, wait.rank, ns, is_direct);
      add(behind_places_, where.place, wait.place, ns, is_direct);
    }
    return line.from < begin;
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

  static void add(Rows<Behind>& rows, std::uint32_t delaying, std::uint32_t waiting, double ns,
                  bool is_direct) {
    const std::uint64_t key = std::uint64_t{delaying} << 32 | waiting;
    Behind& row = rows.row(key, {delaying, waiting});
    (is_direct ? row.direct_ns : row.indirect_ns) += ns;
  }

  /// In [begin, end) v waits for `awaited`, of its message's other end. False: the line begins
  /// there.
  bool wait(const Line& line, double begin, double end, VertexId v, Cause cause, Point awaited) {
    if (!(begin < end)) return true;
    const Vertex& vertex = graph_.vertices[v];
    const std::uint32_t entered = graph_.vertices[vertex.partner].origin;
    Line other{.point = awaited,
               .whom = Whom::indirect,
               .from = std::max(begin, line.from),
               .rank = graph_.rank_of(vertex.partner)};
    if (line.whom != Whom::itself) {
      if (line.origin != kNoOrigin) other.origin = entered;
      others_.push_back(other);
      return line.from < begin;
    }
    show(line.rank, other.from, end, kActivities);
    const Calls::Where where = calls_.where(v, line.inside);
    if (each_call_ && where.call != kNoOrigin) {
      result_.call_within_ns[where.call] += end - other.from;
    }
    const bool collective = calls_.in_collective(vertex);
    explained_.wait = row_of(line.rank, where.place, cause);
    explained_.within = collective ? row_of(line.rank, where.place, Cause::completion) : kNone;
    other.whom = Whom::direct;
    if (collective) other.origin = entered;
    follow(other);
    while (!others_.empty()) {
      other = others_.back();
      others_.pop_back();
      follow(other);
    }
    return line.from < begin;
  }

  std::uint32_t row_of(std::uint32_t rank, std::uint32_t place, Cause cause) {
    const std::uint64_t key =
        (std::uint64_t{rank} << 32 | place) * kCauses + static_cast<std::size_t>(cause);
    return waits_.index(key, {rank, place, cause});
  }

  // --- the way back; false: the line begins there -----------------------------------------------

  bool leave_end(const Line& line, VertexId v, const Vertex& vertex) {
    switch (vertex.kind) {
      case Kind::send:
        return leave_send(line, v, vertex);
      case Kind::recv:
        return leave_recv(line, v, vertex);
      case Kind::calc:
        break;
    }
    return spend(line, schedule_.start_ns(v), schedule_.end_ns(v), Activity::computation, v);
  }

  bool leave_send(const Line& line, VertexId v, const Vertex& vertex) {
    const double start = schedule_.start_ns(v);
    const double end = schedule_.end_ns(v);
    if (!rendezvous(vertex)) return spend(line, start, end, Activity::overhead, v);
    const bool sync = network_.rendezvous == model::Rendezvous::sync ||
                      line.rank == graph_.rank_of(vertex.partner);
    const bool copies_last = vertex.blocking && !sync;  // O is paid at the end
    const double copying = copies_last ? overhead(vertex) - network_.o : 0;
    const double held = std::min(end, start + overhead(vertex) - copying);
    const double sent = std::max(held, end - copying);
    const Point awaited = posted(vertex.partner);
    const double late = awaited.exists() ? std::clamp(time_of(awaited), held, sent) : held;
    return spend(line, sent, end, Activity::overhead, v) &&
           spend(line, late, sent, Activity::transfer, v) &&
           wait(line, held, late, v, calls_.cause_of(vertex), awaited) &&
           spend(line, start, held, Activity::overhead, v);
  }

  bool leave_recv(const Line& line, VertexId v, const Vertex& vertex) {
    const double start = schedule_.start_ns(v);
    const double end = schedule_.end_ns(v);
    const double there = std::max(start, end - overhead(vertex));
    const Point awaited{Point::At::start, vertex.partner};
    const double sent = time_of(awaited);
    const double late = std::clamp(sent, start, there);
    const bool older = line.whom == Whom::itself && first_sent_after(v, sent) < late;
    return spend(line, there, end, Activity::overhead, v) &&
           spend(line, late, there, Activity::transfer, v) &&
           wait(line, start, late, v, older ? Cause::wrong_order : calls_.cause_of(vertex),
                awaited);
  }

  bool leave_start(Line& line, VertexId v) {
    const auto [before, other, is_end] = this->before(v);
    const double begin = before.exists() ? time_of(before) : 0;
    const double known = other.exists() ? time_of(other) : begin;
    const double start = schedule_.start_ns(v);
    if (!spend(line, known, start, Activity::overhead, v)) return false;  // the gap to a message
    if (begin < known) {
      Line waiting = line;
      waiting.point = other;
      waiting.from = std::max(begin, line.from);
      if (is_end && waiting.inside == kNoOrigin) waiting.inside = graph_.vertices[v].origin;
      (line.whom == Whom::itself ? own_ : others_).push_back(waiting);
      if (line.from >= begin) return false;
    }
    line.point = before;
    return before.exists();
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
  const model::LogGPS& network_;
  const Schedule& schedule_;
  Calls calls_;
  bool each_call_;
  std::vector<Line> own_;     ///< of the rank in hand, to be followed
  std::vector<Line> others_;  ///< for the wait in hand
  Explained explained_;
  VertexId run_begin_ = kNoVertex;  ///< of receives one after the other: the first so far
  double run_first_sent_ = kNever;  ///< when the first message of theirs is sent
  Sums spent_;                      ///< of the rank in hand, by place and activity
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

Waits waits(const Schedule& schedule, bool each_call, const std::vector<Look>& looks) {
  return Tracking(schedule, each_call, looks).run();
}

}  // namespace latitude::solve
