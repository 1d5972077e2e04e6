#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace::dumpi {

inline constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

inline constexpr std::uint32_t kWorldLife = 0;  ///< places in Log::comms
inline constexpr std::uint32_t kSelfLife = 1;

/// A communicator of one rank, from the call that made it.
struct Comm {
  Call call = Call::count_;  ///< the call that made it
  std::uint32_t record = 0;  ///< record of that call, from 1
  std::uint32_t parent = kNothing;
  std::int32_t first = 0;              ///< colour of a split; reorder of a grid or graph
  std::int32_t second = 0;             ///< key of a split; nodes of a graph
  std::vector<std::int32_t> sides{};   ///< sides of a grid; for Cart_sub, the remaining dimensions
  std::uint32_t group = kNothing;      ///< for Comm_create: place in Log::groups
  bool null = false;                   ///< this rank is not in the new communicator
  bool foreign = false;                ///< an intercommunicator, or made from one
  std::optional<std::int32_t> rank{};  ///< rank that MPI_Comm_rank has returned
  std::optional<std::int32_t> size{};  ///< size that MPI_Comm_size has returned
  /// Once known: index into Trace::communicators, and this rank's place in it.
  std::uint32_t known_as = kNothing;
  std::int32_t place = 0;
};

/// A group of one rank, in the form of its creation.
struct Group {
  enum class How : std::uint8_t { unknown, empty, of_comm, incl, excl, both, common, less };
  How how = How::unknown;
  std::uint32_t first = kNothing;     ///< communicator (of_comm) or group from which it is made
  std::uint32_t second = kNothing;    ///< the other group
  std::vector<std::int32_t> ranks{};  ///< for incl and excl: ranks in `first`
};

/// A receive from −1: MPI_ANY_SOURCE, or MPICH's MPI_PROC_NULL.
struct FromMinusOne {
  std::uint32_t event;            ///< the receive, or the start of a persistent receive
  std::uint32_t slot = kNothing;  ///< number of the operation in the start
  bool has_status = false;        ///< whether it has a status: 0 bytes from rank 0 with tag 0
};

/// The contents of one rank's file. In `trace.events`, until ranks are put together:
///   comm  index into comms
///   peer  as written, statuses applied
struct Log {
  RankTrace trace;
  std::vector<Comm> comms;
  std::vector<Group> groups;
  /// Receives from −1 without a status that gives the source, or with an empty one: MPICH writes
  /// empty statuses for receives from MPI_PROC_NULL.
  std::vector<FromMinusOne> from_minus_one;
  bool sends_to_minus_one = false;  ///< to MPI_PROC_NULL of MPICH and its derivatives
  std::uint64_t wildcards = 0;      ///< receives that a status has resolved
  bool by_cpu_time = false;
  /// Number of calls that were made and not recorded, for each name.
  std::vector<std::pair<std::string, std::uint64_t>> ignored;
};

}  // namespace latitude::trace::dumpi
