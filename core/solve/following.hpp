#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/solve/lines.hpp"
#include "core/solve/wait_tables.hpp"
#include "core/solve/waits.hpp"

namespace latitude::solve {

enum class Whom : std::uint8_t { itself, direct, indirect };

/// A stretch of a line, which ends at `point` and begins at the time `from`: of a rank's own
/// line, or of another's for the wait that it explains.
template <class Point>
struct Stretch {
  Point point;
  Whom whom = Whom::itself;
  double from = 0;
  std::uint32_t rank = 0;
  std::uint32_t inside = graph::kNoOrigin;  ///< what waits for all of it, as Of::inside_of tells it
  std::uint32_t origin = graph::kNoOrigin;  ///< the followed rank's call, while the line is in it
};

/// Follows ranks' lines back, and from each wait on them the line of the rank that is waited for,
/// at once: of a line, only the stretch of time that is asked for. Of has, besides what Lines asks,
///   std::uint32_t inside_of(v)        – of what waits for an end: kNoOrigin, or what place() takes
///   std::uint32_t place(v, inside)    – where a rank is at v
///   bool in_collective(v)
///   std::uint32_t partner_rank(v), partner_origin(v)  – of the message's other end: its rank, and
///                                       the call that it is of
///   void spent(line, begin, end, activity, v)  – a part of a rank's own line
///   void waited(line, begin, end, v)           – the same, a wait
///   void delayed(line, activity, v, row, ns)   – another one waited for it: to be counted as soon
///                                                as the place of v is known
/// and its awaited(v) the `point` of the message's other end.
template <class Of, class Point>
class Following : protected Lines<Of, Stretch<Point>> {
 protected:
  using Line = Stretch<Point>;
  using V = typename Point::Vertex;

  explicit Following(const model::LogGPS& network) : Lines<Of, Line>(network) {}

  /// What is asked for of a rank's own line.
  void follow_own(const Line& line) {
    own_.push_back(line);
    follow_all(own_);
  }

  /// So long another one waited, by the row of its waits, for what a rank did at a place.
  void count(std::uint32_t rank, std::uint32_t place, Activity activity, std::uint32_t row,
             double ns, bool is_direct) {
    const Wait& wait = waits_[row];
    const std::uint64_t key =
        (std::uint64_t{rank} << 32 | place) * kActivities + static_cast<std::size_t>(activity);
    Delay& delay = delays_.row(key, {rank, place, activity});
    (is_direct ? delay.direct_ns : delay.indirect_ns) += ns;
    add(behind_ranks_, rank, wait.rank, ns, is_direct);
    add(behind_places_, place, wait.place, ns, is_direct);
  }

  // Of Lines.
  void comes_to(Line& line, V v) {
    if (line.origin != of().vertex(v).origin) line.origin = graph::kNoOrigin;  // it has left it
  }

  void joins(const Line& line, Point other, double from, V v, bool is_end) {
    Line waiting = line;
    waiting.point = other;
    waiting.from = from;
    if (is_end && waiting.inside == graph::kNoOrigin) waiting.inside = of().inside_of(v);
    (line.whom == Whom::itself ? own_ : others_).push_back(waiting);
  }

  /// [begin, end) of a line is an activity at v. False: the line begins there.
  bool spend(const Line& line, double begin, double end, Activity activity, V v) {
    if (!(begin < end)) return true;
    const double from = std::max(begin, line.from);
    if (line.whom == Whom::itself) {
      of().spent(line, from, end, activity, v);
    } else {
      const bool within = line.origin != graph::kNoOrigin && explained_.within != kNoRow;
      const std::uint32_t row = within ? explained_.within : explained_.wait;
      waits_[row].ns += end - from;
      of().delayed(line, activity, v, row, end - from);
    }
    return line.from < begin;
  }

  /// In [begin, end) v waits for `awaited`, of its message's other end. False: the line begins
  /// there.
  template <class Awaited>
  bool wait(const Line& line, double begin, double end, Cause cause, V v, const Awaited& awaited) {
    if (!(begin < end)) return true;
    Line other{.point = awaited.point,
               .whom = Whom::indirect,
               .from = std::max(begin, line.from),
               .rank = of().partner_rank(v)};
    const std::uint32_t entered = of().partner_origin(v);
    if (line.whom != Whom::itself) {
      if (line.origin != graph::kNoOrigin) other.origin = entered;
      explain_by(other, end);
      return line.from < begin;
    }
    of().waited(line, other.from, end, v);
    const std::uint32_t place = of().place(v, line.inside);
    const bool collective = of().in_collective(v);
    explained_.wait = row_of(line.rank, place, cause);
    explained_.within = collective ? row_of(line.rank, place, Cause::completion) : kNoRow;
    other.whom = Whom::direct;
    if (collective) other.origin = entered;
    explain_by(other, end);
    follow_all(others_);
    return line.from < begin;
  }

  /// Nothing is known any more of what took so long of a line that was to be followed.
  void lost(double ns) {
    waits_[explained_.wait].ns += ns;
    unexplained_ns_ += ns;
  }

  void take_tables(Waits& into) {
    into.waits = std::move(waits_).sorted();
    std::erase_if(into.waits, [](const Wait& wait) { return wait.ns == 0; });
    into.delays = std::move(delays_).sorted();
    into.behind_ranks = std::move(behind_ranks_).sorted();
    into.behind_places = std::move(behind_places_).sorted();
    into.unexplained_ns = unexplained_ns_;
  }

 private:
  /// The wait that lines are followed for.
  struct Explained {
    std::uint32_t wait = kNoRow;    ///< index of the row where others have not entered the call yet
    std::uint32_t within = kNoRow;  ///< where they have; kNoRow outside collectives
  };

  Of& of() { return static_cast<Of&>(*this); }

  void follow_all(std::vector<Line>& lines) {
    while (!lines.empty()) {
      const Line next = lines.back();
      lines.pop_back();
      this->follow(next);
    }
  }

  void explain_by(const Line& other, double end) {
    if (other.point.exists()) {
      others_.push_back(other);
    } else {
      lost(end - other.from);
    }
  }

  std::uint32_t row_of(std::uint32_t rank, std::uint32_t place, Cause cause) {
    const std::uint64_t key =
        (std::uint64_t{rank} << 32 | place) * kCauses + static_cast<std::size_t>(cause);
    return waits_.index(key, {rank, place, cause});
  }

  static void add(Rows<Behind>& rows, std::uint32_t delaying, std::uint32_t waiting, double ns,
                  bool is_direct) {
    const std::uint64_t key = std::uint64_t{delaying} << 32 | waiting;
    Behind& row = rows.row(key, {delaying, waiting});
    (is_direct ? row.direct_ns : row.indirect_ns) += ns;
  }

  std::vector<Line> own_;     ///< of the rank in hand, to be followed
  std::vector<Line> others_;  ///< for the wait in hand
  Explained explained_;
  double unexplained_ns_ = 0;
  Rows<Wait> waits_;
  Rows<Delay> delays_;
  Rows<Behind> behind_ranks_;
  Rows<Behind> behind_places_;
};

}  // namespace latitude::solve
