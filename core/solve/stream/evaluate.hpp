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

/// How a trace is gone through.
struct StreamOptions {
  /// Events of a rank that are turned into operations at a time, from 1.
  std::uint32_t window = 32;
  /// Operations that those of all ranks become, at a time: about so many at most.
  std::uint64_t ahead = std::uint64_t{1} << 20;
  /// Messages of a rank that nobody has posted a receive for, before others go on.
  std::uint64_t in_flight = 4096;
  /// Sums of paths (stream_path) that are kept at a time, about.
  std::size_t sums = std::size_t{1} << 22;
  /// Operations whose time others may have waited for (stream_path) that are kept, about.
  std::size_t on_lines = std::size_t{1} << 21;
  /// Threads; 0: as many as there are cores. More than 3 find nothing to do.
  unsigned threads = 0;
  /// Told after every so many bytes, of all ranks together, how many have been read.
  std::function<void(std::uint64_t)> progress{};
  std::uint64_t progress_bytes = std::uint64_t{1} << 25;
};

/// What one pass over a trace finds out.
struct StreamFound {
  std::vector<Tangent> right;  ///< by θ asked for: T and its slope towards higher θ
  std::vector<double> left;    ///< by θ asked for first: the slope towards lower θ
  Affine far;                  ///< the line that T follows for large θ
  std::uint64_t vertices = 0;  ///< as graph::Graph counts them, and what follows
  std::uint64_t edges = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wildcards = 0;  ///< receives whose wildcard the trace resolved
  std::uint64_t nodes = 0;      ///< joins that were evaluated
  std::uint64_t most_held = 0;  ///< operations that were kept at a time, at most
  graph::Tallies tallies;
};

/// T and its slopes at each θ, of a trace that is read piece by piece: all ranks are taken forward
/// together, each until it waits for a message that nobody has sent yet. What is kept at a time are
/// pieces of the ranks' files, and messages on their way; the length of the trace is not in it.
/// Ranks, messages and costs are those of graph::build_graph and Lowering, and the numbers have the
/// bits of SweepPlan's, which do not depend on the options.
///
/// `left`: for so many of the first θ the slope to the left is wanted, too. NotInPiecesError: the
/// trace, or the network (a gap), has to be taken as a whole. InputError as build_graph and
/// compile().
StreamFound evaluate_stream(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
                            const model::Network& network, const Direction& direction,
                            std::span<const double> theta, std::size_t left,
                            const StreamOptions& options = {});

}  // namespace latitude::solve
