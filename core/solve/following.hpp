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

/// A stretch of a line, which ends at `point` and begins at the time `from`. It belongs to a line
/// followed for itself, or to another line for the wait that it explains.
template <class Point>
struct Stretch {
  Point point;
  Whom whom = Whom::itself;
  double from = 0;
  std::uint32_t line = 0;
  std::uint32_t inside =
      graph::kNoOrigin;  ///< if a wait is for all of it: the value of Of::inside_of
  std::uint32_t origin = graph::kNoOrigin;  ///< the call of the followed line, while it is in that
                                            ///< call
};

/// Follows lines back, and from each wait on them also the line for which the wait lasts: only the
/// needed stretch of time of that line. A wait that needs more steps than its round allows is
/// resumed after all others, within the limit of the Effort.
///
/// Each step goes to an instant that the cost model needed to compute the present one: a start
/// comes after its dependencies, an end after its own start and after the awaited instant at the
/// message's other end (Lowering). These instants are a DAG, ties included, so every line ends.
///
/// In addition to the functions that Lines needs, Of has
///   std::uint32_t inside_of(v)        – for a wait for an end: kNoOrigin, or a value for place()
///   std::uint32_t place(v, inside)    – the place of a rank at v
///   bool in_collective(v)
///   std::uint32_t partner_line(v), partner_origin(v)  – line and call of the message's other end
///   std::uint32_t line_of(line, v)    – the line of v, which belongs to the same rank
///   void spent(line, begin, end, activity, v)  – a part of a line that is followed for itself
///   void waited(line, begin, end, v)           – the same, a wait
///   void delayed(line, activity, v, row, ns)   – another line waited for it: to be counted as soon
///                                                as the place of v is known
/// and its awaited(v) has the `point` of the message's other end.
template <class Of, class Point>
class Following : protected Lines<Of, Stretch<Point>> {
 protected:
  using Line = Stretch<Point>;
  using V = typename Point::Vertex;

  Following(const model::Network& network, const Effort& effort)
      : Lines<Of, Line>(network), effort_(effort) {}

  /// Follows the requested part of a line for itself.
  void follow_own(const Line& line) {
    own_.push_back(line);
    while (!own_.empty()) {
      const Line next = own_.back();
      own_.pop_back();
      this->follow(next);
    }
  }

  /// The wait for which lines are followed.
  struct Explained {
    std::uint32_t wait = kNoRow;    ///< index of the row for the time in which others have not
                                    ///< entered the call yet
    std::uint32_t within = kNoRow;  ///< the row for the time in which they have; kNoRow outside
                                    ///< collectives
  };

  /// A wait, and the stretches behind it that are still to be followed.
  struct Unfinished {
    Explained explained;
    std::vector<Line> lines;
  };

  /// Follows the waits that the first round has left, in rounds, within the limit of the Effort;
  /// returns the waits that are still left.
  std::vector<Unfinished> follow_the_rest() {
    std::uint64_t steps = std::max(effort_.first, std::uint64_t{1});
    while (!unfinished_.empty() && !exhausted()) {
      steps *= 4;
      for (Unfinished& each : std::exchange(unfinished_, {})) {
        explained_ = each.explained;
        others_ = std::move(each.lines);
        follow_others(exhausted() ? 0 : steps);
      }
    }
    return std::exchange(unfinished_, {});
  }

  /// Adds time for which another line waited, by the row of its waits, for an activity of a line at
  /// a place.
  void count(std::uint32_t line, std::uint32_t place, Activity activity, std::uint32_t row,
             double ns, bool is_direct) {
    count_place(line, place, activity, waits_[row].place, ns, is_direct);
    count_line(line, row, ns, is_direct);
  }

  /// As count(), without the waiting line.
  void count_place(std::uint32_t line, std::uint32_t place, Activity activity,
                   std::uint32_t waiting_place, double ns, bool is_direct) {
    const std::uint64_t key =
        (std::uint64_t{line} << 32 | place) * kActivities + static_cast<std::size_t>(activity);
    Delay& delay = delays_.row(key, {line, place, activity});
    (is_direct ? delay.direct_ns : delay.indirect_ns) += ns;
    add(behind_places_, place, waiting_place, ns, is_direct);
  }

  /// As count(), for the waiting line alone.
  void count_line(std::uint32_t line, std::uint32_t row, double ns, bool is_direct) {
    add(behind_lines_, line, waits_[row].line, ns, is_direct);
  }

  /// Adds `ns` to the wait in this row.
  void count_wait(std::uint32_t row, double ns) { waits_[row].ns += ns; }
  std::uint32_t waiting_place(std::uint32_t row) { return waits_[row].place; }

  // Functions that Lines requires.
  bool may_go_on(const Line& line) {
    if (line.whom == Whom::itself) return true;
    if (steps_left_ == 0) {
      others_.push_back(line);
      return false;
    }
    --steps_left_;
    return true;
  }

  void comes_to(Line& line, V v) {
    if (line.origin != of().vertex(v).origin) line.origin = graph::kNoOrigin;  // left the call
  }

  /// An activity in parallel with the line, such as the inside of a non-blocking collective, is a
  /// stretch of the line; for another thread the line waits.
  void joins(const Line& line, Point other, double from, V v, bool is_end) {
    const std::uint32_t there = of().line_of(line.line, other.vertex);
    if (there != line.line) {
      const Line behind{.point = other, .from = from, .line = there};
      wait_for(line, behind, this->time_of(other), Cause::other_thread, v);
      return;
    }
    Line waiting = line;
    waiting.point = other;
    waiting.from = from;
    if (is_end && waiting.inside == graph::kNoOrigin) waiting.inside = of().inside_of(v);
    (line.whom == Whom::itself ? own_ : others_).push_back(waiting);
  }

  /// If its thread begins in another thread at the present point, a line ends here. A rank that
  /// waits for the thread waits indirectly for the earlier activities of the other thread.
  bool goes_on(Line& line) {
    const std::uint32_t there = of().line_of(line.line, line.point.vertex);
    if (there == line.line) return true;
    if (line.whom == Whom::itself) return false;
    line.whom = Whom::indirect;
    line.line = there;
    return true;
  }

  /// At v, [begin, end) of a line is an activity. False: the requested part of the line begins
  /// there.
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

  /// In [begin, end) v waits for `awaited`, at its message's other end. False: the requested part
  /// of the line begins there.
  template <class Awaited>
  bool wait(const Line& line, double begin, double end, Cause cause, V v, const Awaited& awaited) {
    if (!(begin < end)) return true;
    wait_for(line,
             {.point = awaited.point,
              .from = std::max(begin, line.from),
              .line = line_awaited(v, awaited.point),
              .origin = of().partner_origin(v)},
             end, cause, v);
    return line.from < begin;
  }

  /// The cause of this much time of a followed line is no longer known.
  void lost(double ns) {
    count_wait(explained_.wait, ns);
    stays_unexplained(ns);
  }

  /// Adds waiting time with an unknown cause.
  void stays_unexplained(double ns) { unexplained_ns_ += ns; }

  void take_tables(Waits& into) {
    into.waits = std::move(waits_).sorted();
    std::erase_if(into.waits, [](const Wait& wait) { return wait.ns == 0; });
    into.delays = std::move(delays_).sorted();
    into.behind_lines = std::move(behind_lines_).sorted();
    into.behind_places = std::move(behind_places_).sorted();
    into.unexplained_ns = unexplained_ns_;
  }

 private:
  Of& of() { return static_cast<Of&>(*this); }

  /// Another thread than the completing one may post a receive.
  std::uint32_t line_awaited(V v, Point point) {
    const std::uint32_t partner = of().partner_line(v);
    return point.exists() ? of().line_of(partner, point.vertex) : partner;
  }

  /// Until `end` v waits for the other line. In a collective that line is inside the call at first.
  void wait_for(const Line& line, Line other, double end, Cause cause, V v) {
    const bool itself = line.whom == Whom::itself;
    const bool within = itself ? of().in_collective(v) : line.origin != graph::kNoOrigin;
    if (!within) other.origin = graph::kNoOrigin;
    other.whom = itself ? Whom::direct : Whom::indirect;
    if (!itself) return explain_by(other, end);
    of().waited(line, other.from, end, v);
    const std::uint32_t place = of().place(v, line.inside);
    explained_.wait = row_of(line.line, place, cause);
    explained_.within = within ? row_of(line.line, place, Cause::completion) : kNoRow;
    explain_by(other, end);
    follow_others(effort_.first);
  }

  bool exhausted() const {
    return steps_ >= effort_.steps || behind_lines_.size() >= effort_.pairs;
  }

  /// Follows the lines behind the current wait for that many steps.
  void follow_others(std::uint64_t steps) {
    steps_left_ = steps;
    while (!others_.empty() && steps_left_ > 0) {
      const Line next = others_.back();
      others_.pop_back();
      this->follow(next);
    }
    steps_ += steps - steps_left_;
    if (others_.empty()) return;
    std::vector<Line> rest = std::exchange(others_, {});
    if (effort_.steps > 0) {
      unfinished_.push_back({explained_, std::move(rest)});
    } else {
      for (const Line& line : rest) lost(this->time_of(line.point) - line.from);
    }
  }

  void explain_by(const Line& other, double end) {
    if (other.point.exists()) {
      others_.push_back(other);
    } else {
      lost(end - other.from);
    }
  }

  std::uint32_t row_of(std::uint32_t line, std::uint32_t place, Cause cause) {
    const std::uint64_t key =
        (std::uint64_t{line} << 32 | place) * kCauses + static_cast<std::size_t>(cause);
    return waits_.index(key, {line, place, cause});
  }

  static void add(Rows<Behind>& rows, std::uint32_t delaying, std::uint32_t waiting, double ns,
                  bool is_direct) {
    const std::uint64_t key = std::uint64_t{delaying} << 32 | waiting;
    Behind& row = rows.row(key, {delaying, waiting});
    (is_direct ? row.direct_ns : row.indirect_ns) += ns;
  }

  Effort effort_;
  std::uint64_t steps_ = 0;       ///< steps on the lines of others
  std::uint64_t steps_left_ = 0;  ///< for the current wait
  std::vector<Unfinished> unfinished_;
  std::vector<Line> own_;     ///< stretches of the current line to be followed
  std::vector<Line> others_;  ///< for the current wait
  Explained explained_;
  double unexplained_ns_ = 0;
  Rows<Wait> waits_;
  Rows<Delay> delays_;
  Rows<Behind> behind_lines_;
  Rows<Behind> behind_places_;
};

}  // namespace latitude::solve
