#pragma once

#include "core/graph/collectives/collective.hpp"

namespace latitude::graph::collectives {

/// What the library would run for this collective; only from what all members know. The algorithm
/// need not be one of those offered by name: a preset may compose them its own way.
NamedAlgorithm openmpi_choice(const Collective& c);
NamedAlgorithm mpich_choice(const Collective& c);
/// What Dimemas' model makes of it.
NamedAlgorithm dimemas_choice(const Collective& c);

/// Elements of the vector.
inline std::uint64_t elements(const Collective& c) {
  return c.element > 0 ? c.bytes / c.element : c.bytes;
}

}  // namespace latitude::graph::collectives
