#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/infer/rank_log.hpp"

namespace latitude::trace::infer {

/// The meaning of every communicator handle of every rank.
struct Communicators {
  std::vector<Communicator> communicators;  ///< communicators that events use; [0] is the world
  std::vector<std::vector<std::uint32_t>> of_use;  ///< rank → CommLog::uses → index, or kNothing
  std::vector<std::vector<std::uint32_t>>
      of_creation;  ///< rank → CommLog::creations → index, or kNothing
};

/// Finds the group of each communicator from the calls that made it (colours, keys) and from the
/// rank and size in each record of a handle; see docs/internals/formats.md. Throws InputError if a
/// communicator with messages cannot be proven.
Communicators resolve_communicators(const std::vector<RankLog>& logs);

}  // namespace latitude::trace::infer
