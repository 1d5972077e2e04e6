#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace latitude::trace::synthetic {

/// The pattern of a program's steps. halo: ranks form a ring, and each rank exchanges messages with
/// both neighbours. wavefront: ranks form a grid, and each rank receives from west and north,
/// computes, and sends to east and south. cg: halo, and two reductions.
enum class Pattern : std::uint8_t { halo, wavefront, cg };

/// The pattern with this name; InputError if no pattern has it.
Pattern pattern_named(std::string_view name);

/// The steps that all ranks make, `steps` times.
struct Program {
  Pattern pattern;
  std::uint32_t ranks;  ///< at least 2
  std::uint64_t steps;
  std::uint64_t bytes;       ///< size of a message between neighbours
  std::uint64_t compute_ns;  ///< computation of a rank in a step
};

enum class Call : std::uint8_t { init, irecv, isend, waitall, recv, send, allreduce, finalize };

/// A call and its shape, as in docs/internals/trace-format.md; the index is the number of a Call.
struct Named {
  std::string_view name, shape;
};
inline constexpr Named kCalls[] = {
    {"MPI_Init", ""},      {"MPI_Irecv", "cptbq"}, {"MPI_Isend", "cptbq"},     {"MPI_Waitall", "Q"},
    {"MPI_Recv", "cptbs"}, {"MPI_Send", "cptb"},   {"MPI_Allreduce", "cpbef"}, {"MPI_Finalize", ""},
};

/// One call of a step.
struct Operation {
  Call call;
  std::uint64_t gap_ns = 0;  ///< computation before it
  std::int64_t peer = 0, tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t requests =
      0;  ///< number of requests that it makes, or completes: all of the step so far
};

/// A rank's calls in a step, and its computation after the last call.
struct Step {
  std::vector<Operation> operations;
  std::uint64_t rest_ns = 0;
};
Step step_of(const Program& program, std::uint32_t rank);

/// Columns and rows of the wavefront's grid: as square as the number of ranks allows.
struct Grid {
  std::uint32_t columns, rows;
};
Grid grid_of(std::uint32_t ranks);

/// Number of calls of all ranks in a step.
std::uint64_t calls_per_step(Pattern pattern, std::uint32_t ranks);

}  // namespace latitude::trace::synthetic
