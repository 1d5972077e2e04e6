#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/trace/event.hpp"

namespace latitude::graph {

using VertexId = std::uint32_t;
inline constexpr VertexId kNoVertex = std::numeric_limits<VertexId>::max();
inline constexpr std::uint32_t kNoOrigin = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::int64_t kNotTraced = std::numeric_limits<std::int64_t>::min();

enum class Kind : std::uint8_t { calc, send, recv };

/// What a dependency of vertex `v` on an earlier vertex `d` of the same rank means. A vertex has
/// up to four instants: start; release (the CPU is free again: a non-blocking send's start + o, the
/// end of anything else); end (a rendezvous send ends when its buffer may be reused); and, for a
/// recv, posted (the receive may match from then on; equal to start unless given).
enum class DepKind : std::uint8_t {
  requires_end,    ///< start(v) ≥ end(d): GOAL's `requires`
  requires_start,  ///< start(v) ≥ start(d): GOAL's `irequires`
  released,        ///< start(v) ≥ release(d): next in the CPU's program order
  posted,          ///< v is a recv: posted(v) ≥ release(d), instead of start(v)
};

struct Dep {
  VertexId vertex;
  DepKind kind;
};

/// One operation. `chained` is shorthand for {previous vertex of this rank, released}: graphs from
/// traces are one chain a rank (the CPU's program order) with few explicit dependencies.
struct Vertex {
  std::int64_t value = 0;            ///< calc: duration in ns; send, recv: message size in bytes
  VertexId partner = kNoVertex;      ///< send, recv: the matched vertex on the other rank
  std::int32_t tag = 0;              ///< send, recv: the user's tag (collectives: 0)
  std::uint32_t origin = kNoOrigin;  ///< index into Graph::calls, or kNoOrigin
  Kind kind = Kind::calc;
  bool chained : 1 = false;
  bool blocking : 1 = false;     ///< send: the CPU is not released before its end (MPI_Send)
  bool synchronous : 1 = false;  ///< send: rendezvous whatever its size (MPI_Ssend)
  std::uint8_t cpu = 0;          ///< GOAL's `cpu`, kept for conversion
  std::uint8_t nic = 0;          ///< GOAL's `nic`, kept for conversion
};
static_assert(sizeof(Vertex) == 24);

/// The MPI call a vertex came from.
struct CallRecord {
  std::uint32_t comm;
  std::uint32_t position;
  trace::Call call;
  std::uint32_t site = trace::kNoSite;  ///< index into Graph::sites
};

/// Execution graph: a DAG of calc, send and recv vertices, one match edge per message.
/// Vertices of a rank are contiguous; within a rank a dependency always points backwards.
struct Graph {
  std::vector<VertexId> rank_begin{0};  ///< ranks + 1 offsets into `vertices`
  std::vector<Vertex> vertices;
  std::vector<std::uint32_t> dep_begin{0};  ///< vertices + 1 offsets into `deps`
  std::vector<Dep> deps;                    ///< explicit dependencies only
  /// By vertex, where asked for: when a computation between calls was over in the traced run, ns
  /// since the first rank returned from MPI_Init; kNotTraced of anything else.
  std::vector<std::int64_t> traced_ns;
  /// By vertex, empty where there is none: the call that completes a receive which another one has
  /// posted (MPI_Wait), an index into `calls`; kNoOrigin of anything else.
  std::vector<std::uint32_t> completed_in;
  std::vector<CallRecord> calls;
  std::vector<trace::Communicator> communicators;
  std::vector<trace::Module> modules;
  std::vector<trace::CallSite> sites;
  std::vector<Warning> warnings;

  std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(rank_begin.size() - 1); }
  std::uint32_t rank_of(VertexId v) const noexcept;
  std::span<const Dep> deps_of(VertexId v) const noexcept {
    return {deps.data() + dep_begin[v], dep_begin[v + 1] - dep_begin[v]};
  }
  std::uint64_t messages() const noexcept;
  std::uint64_t bytes() const noexcept;
  /// Local dependencies (implicit ones too) plus match edges.
  std::uint64_t edges() const noexcept;
};

}  // namespace latitude::graph
