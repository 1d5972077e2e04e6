#pragma once

#include <span>

#include "core/graph/collectives/collective.hpp"

namespace latitude::graph::collectives {

/// The algorithms of each operation's file, the default first.
std::span<const NamedAlgorithm> barrier_algorithms();
std::span<const NamedAlgorithm> bcast_algorithms();
std::span<const NamedAlgorithm> reduce_algorithms();
std::span<const NamedAlgorithm> allreduce_algorithms();
std::span<const NamedAlgorithm> gather_algorithms();
std::span<const NamedAlgorithm> gatherv_algorithms();
std::span<const NamedAlgorithm> scatter_algorithms();
std::span<const NamedAlgorithm> scatterv_algorithms();
std::span<const NamedAlgorithm> allgather_algorithms();  ///< Allgatherv too
std::span<const NamedAlgorithm> alltoall_algorithms();
std::span<const NamedAlgorithm> alltoallv_algorithms();       ///< Alltoallw too
std::span<const NamedAlgorithm> reduce_scatter_algorithms();  ///< Reduce_scatter_block too
std::span<const NamedAlgorithm> scan_algorithms();            ///< Exscan too
std::span<const NamedAlgorithm> neighbor_algorithms();        ///< all five

/// The algorithm `name` of a call; the name must be one of those offered.
const NamedAlgorithm& offered(trace::Call call, std::string_view name);

}  // namespace latitude::graph::collectives
