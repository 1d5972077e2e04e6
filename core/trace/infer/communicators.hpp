#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/infer/rank_log.hpp"

namespace latitude::trace::infer {

/// What every communicator handle of every rank stood for.
struct Communicators {
  std::vector<Communicator> communicators;         ///< those that events use; [0] is the world
  std::vector<std::vector<std::uint32_t>> of_use;  ///< rank → CommLog::uses → index, or kNothing
  std::vector<std::vector<std::uint32_t>> of_creation;  ///< rank → CommLog::creations → the same
};

/// Finds the group of each communicator from the calls that made them (colours, keys) and from the
/// rank and size that every mention of a handle shows; see docs/internals/formats.md. Throws
/// InputError when a communicator that carries messages cannot be proven.
Communicators resolve_communicators(const std::vector<RankLog>& logs);

}  // namespace latitude::trace::infer
