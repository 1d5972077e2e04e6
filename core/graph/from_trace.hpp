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
  double reduce_ns_per_byte = 0;  ///< γ: cost of combining one byte in a reduction, ns
  bool skip_unsupported = false;  ///< leave out calls the graph cannot express, do not refuse
  unsigned threads = 0;           ///< 0: one a core
  bool consume = false;           ///< free the trace's events rank by rank while building
  bool traced_times = false;      ///< fill Graph::traced_ns
  /// A receive may meet the request of a rendezvous from its posting on, also while its rank
  /// computes; else from the rank's next call that may wait (docs/explanation/model.md).
  /// Ranks of which several threads call MPI always have it.
  bool async_progress = false;
  bool leave_open = false;  ///< what receives from any source took, where it is not known
  std::optional<CallTimes> call_times = std::nullopt;  ///< none: calls cost what the network says
};

/// Calls that cannot be expressed were not to be left out. The message names the first.
class UnsupportedCallsError : public InputError {
 public:
  UnsupportedCallsError(const std::string& message, Tallies all)
      : InputError(message), tallies(std::move(all)) {}
  Tallies tallies;  ///< sites are indices into the trace's
};

/// Trace → execution graph, by docs/explanation/semantics.md. InputError names file, line and
/// call of what is never completed or has no counterpart, and says why there are no times that can
/// be compared, where they are asked for. UnsupportedCallsError: of what cannot be expressed.
Graph build_graph(trace::Trace& trace, const BuildOptions& options);

/// The graph of one collective alone, which all its members enter at time zero and whose messages
/// take no overheads at the CPUs that send and receive them. `events`: of each rank the event that
/// is its call of it; kNoEvent: the rank is no member.
Graph build_alone(const trace::Trace& trace, std::span<const std::uint32_t> events,
                  const BuildOptions& options);
inline constexpr std::uint32_t kNoEvent = 0xffffffffU;

}  // namespace latitude::graph
