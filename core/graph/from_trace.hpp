#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/graph/call_times.hpp"
#include "core/graph/collectives/collective.hpp"
#include "core/graph/graph.hpp"
#include "core/trace/event.hpp"

namespace latitude::graph {

struct BuildOptions {
  Selection collectives{};
  double reduce_ns_per_byte = 0;  ///< cost of combining one byte in a reduction, ns
  bool skip_unsupported = false;  ///< leave out calls that the graph cannot express, instead of
                                  ///< rejecting them
  unsigned threads = 0;           ///< 0: one per core
  bool consume = false;           ///< free the trace's events rank by rank while building
  bool traced_times = false;      ///< fill Graph::traced_ns
  /// Whether a receive can answer the RTS of a rendezvous from its posting on, also while its rank
  /// computes. Otherwise it answers in the rank's next call that may wait
  /// (docs/explanation/model.md). Ranks in which several threads call MPI always answer at once.
  bool async_progress = false;
  bool leave_open = false;  ///< leave open which message a receive from any source takes
  std::optional<CallTimes> call_times = std::nullopt;  ///< none: calls cost the network's o
};

/// The trace has calls that cannot be expressed, and the options do not leave them out. The error
/// names the first of these calls.
class UnsupportedCallsError : public InputError {
 public:
  UnsupportedCallsError(const std::string& message, Tallies all)
      : InputError(message), tallies(std::move(all)) {}
  Tallies tallies;  ///< sites are indices into the trace's sites
};

/// Trace → execution graph, by docs/explanation/semantics.md. InputError names file, line and call
/// of an operation that never completes or has no counterpart; it also gives the reason if
/// comparable times are requested and missing. UnsupportedCallsError: calls that cannot be
/// expressed.
Graph build_graph(trace::Trace& trace, const BuildOptions& options);

/// The graph of one collective alone. All its members enter it at time zero, and its messages take
/// no overhead on the sending and receiving CPUs. `events`: for each rank the event of its call;
/// kNoEvent: the rank is not a member.
Graph build_alone(const trace::Trace& trace, std::span<const std::uint32_t> events,
                  const BuildOptions& options);
inline constexpr std::uint32_t kNoEvent = 0xffffffffU;

}  // namespace latitude::graph
