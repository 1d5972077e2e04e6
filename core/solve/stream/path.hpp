#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/from_trace.hpp"
#include "core/model/network.hpp"
#include "core/solve/stream/evaluate.hpp"
#include "core/solve/stream/survivors.hpp"
#include "core/solve/waits.hpp"
#include "core/trace/native/pieces.hpp"

namespace latitude::solve {

/// Calls of one kind at one place: in the program, and on its critical path.
struct StreamPlace {
  trace::Call call = trace::Call::count_;  ///< count_: of no call
  std::uint32_t site = trace::kNoSite;     ///< index into Trace::sites
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  PlaceOnPath on_path{};
};

/// As CriticalPath::rank_end_ns and Work, and the time of the critical path on the rank.
struct StreamRank {
  double end_ns = 0;
  double calc_ns = 0;
  double overhead_ns = 0;
  double useful_ns = 0;
  double path_ns = 0;
};

/// Messages from one rank to another, and their parts of the critical path.
struct StreamPair {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  PairOnPath on_path{};
};

/// Latencies on the critical path by the places of a message's ends: indices into `places`.
struct StreamSender {
  std::uint32_t received = 0;
  std::uint32_t sent = 0;
  std::uint64_t latencies = 0;
};

/// Sums over the steps of a trace's critical path. CriticalPath lists the steps of this path.
struct StreamPath {
  double T_ns = 0;
  double ideal_ns = 0;              ///< Schedule::ideal_ns
  std::vector<StreamPlace> places;  ///< by call, then site; the first: of no call
  std::vector<StreamRank> ranks;
  std::vector<StreamPair>
      pairs;  ///< different ranks with messages between them, by source, then destination
  std::vector<StreamSender> senders;
  Waits waits;                  ///< without single calls
  std::uint64_t on_lines = 0;   ///< most vertices of ranks' lines that were stored at a time
  std::uint32_t passes = 1;     ///< over the trace
  std::uint64_t survivors = 0;  ///< most nodes of the tree of paths that were stored at a time
};

/// Takes one pass over the trace, or two if sums do not suffice (Survivors). The longest path to
/// each operation that may still delay others is stored, in sums; the common part of all these
/// paths is stored once (Survivors). So the memory is that of evaluate_stream plus that of the
/// sums. Errors as in evaluate_stream.
StreamPath stream_path(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
                       const model::Network& network, const StreamOptions& options = {});

}  // namespace latitude::solve
