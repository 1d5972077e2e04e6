#pragma once

#include "core/graph/collectives/collective.hpp"

namespace latitude::graph::collectives {

/// The algorithm that the library would run for this collective, from facts that all members know.
/// The algorithm need not have a name: a preset may compose algorithms in its own way.
NamedAlgorithm openmpi_choice(const Collective& c);
NamedAlgorithm mpich_choice(const Collective& c);
/// The schedule by Dimemas' model.
NamedAlgorithm dimemas_choice(const Collective& c);

/// Number of elements in the vector.
inline std::uint64_t elements(const Collective& c) {
  return c.element > 0 ? c.bytes / c.element : c.bytes;
}

}  // namespace latitude::graph::collectives
