#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/graph/from_trace.hpp"
#include "core/model/network.hpp"
#include "core/solve/prices.hpp"
#include "core/solve/sweep_plan.hpp"
#include "core/trace/native/pieces.hpp"

namespace latitude::solve {

/// The way in which a trace is read.
struct StreamOptions {
  /// Events of a rank that become operations together, from 1.
  std::uint32_t window = 32;
  /// Operations of all ranks that exist together: approximate maximum.
  std::uint64_t ahead = std::uint64_t{1} << 20;
  /// Sent messages of a rank without a posted receive, above which other ranks continue first.
  std::uint64_t in_flight = 4096;
  /// Sums of paths (stream_path) that are stored at a time, approximately.
  std::size_t sums = std::size_t{1} << 22;
  /// Stored operations for whose time others may have waited (stream_path), approximately.
  std::size_t on_lines = std::size_t{1} << 21;
  /// Threads; 0: one per core. More than 3 find no work.
  unsigned threads = 0;
  /// Called after each `progress_bytes` bytes, over all ranks, with the number of bytes read.
  std::function<void(std::uint64_t)> progress{};
  std::uint64_t progress_bytes = std::uint64_t{1} << 25;
};

/// The result of one pass over a trace.
struct StreamFound {
  std::vector<Tangent> right;  ///< by requested θ: T and its slope towards higher θ
  std::vector<double> left;    ///< the slope towards lower θ, for the first of the requested θ
  Affine far;                  ///< the line that T follows for large θ
  std::uint64_t vertices = 0;  ///< number, counted as in graph::Graph, and further counts
  std::uint64_t edges = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wildcards = 0;  ///< receives with a wildcard that the trace resolved
  std::uint64_t nodes = 0;      ///< number of evaluated joins
  std::uint64_t most_held = 0;  ///< most operations stored at a time
  graph::Tallies tallies;
};

/// T and its slopes at each θ, for a trace that is read piece by piece. All ranks advance together,
/// each until it waits for a message that no rank has sent yet. The memory holds pieces of the
/// ranks' files, and messages on their way; it does not grow with the length of the trace. Ranks,
/// messages and costs are those of graph::build_graph and Lowering, and the numbers have the bits
/// of SweepPlan's, for any options.
///
/// `left`: for this many of the first θ the slope to the left is also computed. NotInPiecesError:
/// the trace, or the network (a gap), must be read as a whole. InputError as in build_graph and
/// compile().
StreamFound evaluate_stream(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
                            const model::Network& network, const Direction& direction,
                            std::span<const double> theta, std::size_t left,
                            const StreamOptions& options = {});

}  // namespace latitude::solve
