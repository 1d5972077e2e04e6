#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/causes.hpp"
#include "core/solve/schedule.hpp"

namespace latitude::solve {

/// Calls of one kind at one place of the program. If the time belongs to a message or a collective
/// that another call has posted (MPI_Wait completes operations of MPI_Irecv), also the posting
/// call.
struct Place {
  trace::Call call = trace::Call::count_;         ///< count_ if none is recorded
  std::uint32_t site = trace::kNoSite;            ///< index into Graph::sites
  trace::Call posted_call = trace::Call::count_;  ///< count_ if the same call has posted it
  std::uint32_t posted_site = trace::kNoSite;

  auto operator<=>(const Place&) const = default;
};

/// A line's own activities at a place (computation: before it), within its time from its start to
/// its end.
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

/// Activities of a line at a place (computation: before it) for which others waited, ns.
struct Delay {
  std::uint32_t line;
  std::uint32_t place;
  Activity activity;
  double direct_ns = 0;  ///< others waited for this line
  double indirect_ns =
      0;  ///< others waited for a line that waited for this one, directly or through others
};

/// The delays by one (a line, or a place) behind the waits of another.
struct Behind {
  std::uint32_t delaying;
  std::uint32_t waiting;
  double direct_ns = 0;
  double indirect_ns = 0;
};

/// A stretch of time in which to show all lines: equal cells, and a number of lines per row.
struct Look {
  double from_ns = 0;
  double to_ns = 0;
  std::uint32_t cells = 1;
  std::uint32_t lines_per_row = 1;
};

/// Time of all lines within a Look, by activity.
struct Seen {
  /// Activities, and waits by any cause.
  static constexpr std::size_t kKinds = kActivities + 1;

  Look look;
  std::size_t rows = 0;
  std::vector<double> ns;  ///< (rows, cells, kinds): the sum over all lines of the row
};

/// Number of vertices that are passed on the lines of others, with repetitions, while each wait is
/// followed by itself. A wait at the end of a long chain of ranks has all these ranks behind it, so
/// this number grows with the square of the ranks.
struct Effort {
  /// Number for one wait in the first round. Each further round allows four times as much for each
  /// remaining wait.
  std::uint64_t first;
  /// Rounds continue up to this total; 0: only one round, because lines cannot be resumed.
  std::uint64_t steps = 0;
  std::size_t pairs = 0;  ///< the most rows of Waits::behind_lines
};

/// A line, on which a rank does one thing after the other (graph::RankLines).
struct RankLine {
  std::uint32_t rank;
  graph::Resource resource;
};

/// The time of every line on one network (`spent` and `waits` together are all of it), and the
/// causes of the waits. All rows are sorted by their keys.
struct Waits {
  std::vector<RankLine> lines;
  std::vector<Place> places;  ///< the first: none recorded
  std::vector<Spent> spent;
  /// By call of the graph, if requested: its place, the computation before it, and all of a line's
  /// time in it (for a call with several vertices, their sum).
  std::vector<std::uint32_t> call_place;
  std::vector<double> call_before_ns;
  std::vector<double> call_within_ns;
  std::vector<Wait> waits;
  std::vector<Delay> delays;          ///< their sum is that of the waits, less unexplained_ns
  std::vector<Behind> behind_lines;   ///< delays by delaying and waiting line
  std::vector<Behind> behind_places;  ///< delays by delaying and waiting place
  double unexplained_ns = 0;  ///< time of the waits whose causing activities were no longer stored
  double unpaired_ns = 0;     ///< time of the delays whose waiting line is not in behind_lines
  std::vector<Seen> seen;     ///< times of all lines, for each look
};

/// One backward pass over the schedule. It follows each wait by itself, for as many steps as
/// `effort` allows, and then the lines behind all remaining waits together. Work and memory grow
/// with the graph; memory also with the rows, with `each_call`, and with the cells of `looks`.
Waits waits(const Schedule& schedule, bool each_call = false, const std::vector<Look>& looks = {},
            std::optional<Effort> effort = std::nullopt);
inline Waits waits(const graph::Graph& graph, const model::Network& network) {
  return waits(Schedule(graph, network));
}

}  // namespace latitude::solve
