#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/causes.hpp"
#include "core/solve/schedule.hpp"

namespace latitude::solve {

/// Calls of one kind at one place of the program; and, where what takes the time is of a message or
/// a collective that another call has posted (MPI_Wait completes what MPI_Irecv posts), that call.
struct Place {
  trace::Call call = trace::Call::count_;         ///< count_ where none is recorded
  std::uint32_t site = trace::kNoSite;            ///< index into Graph::sites
  trace::Call posted_call = trace::Call::count_;  ///< count_ where it is the same call
  std::uint32_t posted_site = trace::kNoSite;

  auto operator<=>(const Place&) const = default;
};

/// What a line itself does at a place (computation: before it), of its time from its begin to its
/// end.
struct Spent {
  std::uint32_t line;
  std::uint32_t place;
  Activity activity;
  double ns = 0;
};

/// The waits of a line at a place.
struct Wait {
  std::uint32_t line;
  std::uint32_t place;
  Cause cause;
  double ns = 0;
};

/// What others waited for that a line did at a place (computation: before it), ns.
struct Delay {
  std::uint32_t line;
  std::uint32_t place;
  Activity activity;
  double direct_ns = 0;    ///< they waited for this line
  double indirect_ns = 0;  ///< they waited for one that waited, itself or through others, for it
};

/// The delays of one (a line, or a place) behind the waits of another.
struct Behind {
  std::uint32_t delaying;
  std::uint32_t waiting;
  double direct_ns = 0;
  double indirect_ns = 0;
};

/// A stretch of time to look at all lines in: equal cells, so many lines in a row.
struct Look {
  double from_ns = 0;
  double to_ns = 0;
  std::uint32_t cells = 1;
  std::uint32_t lines_per_row = 1;
};

/// What all lines do in it.
struct Seen {
  /// Activities, and waits of whatever cause.
  static constexpr std::size_t kKinds = kActivities + 1;

  Look look;
  std::size_t rows = 0;
  std::vector<double> ns;  ///< (rows, cells, kinds): of all lines of the row together
};

/// How many vertices are passed on the lines of others, counted each time, while each wait is
/// followed by itself. A wait at the end of a long chain of ranks has all of them behind it, so
/// this grows with the square of the ranks.
struct Effort {
  /// For one wait at first; in each further round four times as many for each wait that is left.
  std::uint64_t first;
  /// Rounds go on up to so many in all; 0: there is one round, as lines cannot be resumed.
  std::uint64_t steps = 0;
  std::size_t pairs = 0;  ///< the same of the rows of Waits::behind_lines
};

/// A line on which a rank does one thing after the other (graph::RankLines).
struct RankLine {
  std::uint32_t rank;
  graph::Resource resource;
};

/// Where the time of every line goes on one network: `spent` and `waits` are all of it. And who
/// made whom wait. All rows are sorted by their keys.
struct Waits {
  std::vector<RankLine> lines;
  std::vector<Place> places;  ///< the first: none recorded
  std::vector<Spent> spent;
  /// By call of the graph, where asked for: its place; computation before it, and all of a line's
  /// time in it (of a call of several vertices their sum).
  std::vector<std::uint32_t> call_place;
  std::vector<double> call_before_ns;
  std::vector<double> call_within_ns;
  std::vector<Wait> waits;
  std::vector<Delay> delays;          ///< their sum is that of the waits, but for unexplained ones
  std::vector<Behind> behind_lines;   ///< the same by line
  std::vector<Behind> behind_places;  ///< the same by place
  double unexplained_ns = 0;          ///< of the waits: what is behind them was no longer kept
  double unpaired_ns = 0;             ///< of the delays: which line waited is not in behind_lines
  std::vector<Seen> seen;             ///< of each look
};

/// One way back over the schedule. It follows each wait by itself for as many steps as `effort`
/// says, and the lines behind all waits that are left together. Work and memory grow with the
/// graph; memory also with the rows, with `each_call`, and with the cells of `looks`.
Waits waits(const Schedule& schedule, bool each_call = false, const std::vector<Look>& looks = {},
            std::optional<Effort> effort = std::nullopt);
inline Waits waits(const graph::Graph& graph, const model::Network& network) {
  return waits(Schedule(graph, network));
}

}  // namespace latitude::solve
