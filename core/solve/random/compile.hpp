#pragma once

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/random/builder.hpp"
#include "core/solve/random/model.hpp"

namespace latitude::solve {

/// A graph compiled for random latency: every instant is a multiple of `quantum` ns, a power of two
/// so small that no sum of instants is ever rounded.
struct CompiledRandom {
  RandomDag dag;
  double quantum = 1;
};

/// Graph × network × random parameters. The cost model of docs/explanation/model.md decides where
/// latency is added: each latency is one message on the wire (a rendezvous has three), with a draw
/// of its own. InputError if operations wait in a cycle, or T may exceed 2^53 ns.
CompiledRandom compile_random(const graph::Graph& graph, const model::Network& network,
                              const RandomModel& model);

/// `ns` as a multiple of `quantum`.
double quantised(double ns, double quantum) noexcept;

}  // namespace latitude::solve
