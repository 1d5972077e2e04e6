#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/prices.hpp"
#include "core/solve/schedule.hpp"

/// The order in which the CPUs of a graph take operations that its file leaves independent
/// (docs/explanation/model.md). It is said by `served` dependencies, at most one an operation.
namespace latitude::solve {

/// What the CPUs do at θ when they serve whoever comes first.
struct Service {
  std::vector<std::uint32_t> place;  ///< by vertex: which it has among all
  std::vector<bool> waited;          ///< by vertex: the one before it on its CPU was not done
};

/// A calc or a send comes when all it waits for is done, a receive when its message is
/// there, too. Who comes at one instant is served in the order of LogGOPSim's queue: by when the
/// operation became known (a message: when it was sent), of one instant sends, receives, calcs.
/// InputError when operations wait in a cycle.
Service service(const graph::Graph& graph, const model::Network& network, Direction direction,
                double theta);

/// The graph where each CPU takes its operations in the order of the file, as far as dependencies
/// allow. InputError when they wait for each other in a cycle then.
graph::Graph in_file_order(graph::Graph graph, const model::Network& network);

/// The graph where, at every θ, operations come one after the other on their CPU that had to wait
/// for each other in this service: T of that θ is that of the service, and no CPU does two things
/// at once. Who did not have to wait comes when it comes, for an order would make it wait
/// elsewhere.
graph::Graph in_order_of(graph::Graph graph, const Service& service);

/// How many orders of two operations were added.
std::uint64_t choices(const graph::Graph& ordered);

/// How many of these the CPUs take the other way round in this service.
std::uint64_t otherwise(const graph::Graph& ordered, const Service& service);

/// How many operations begin on a CPU that is still held by another one: calcs all the time, sends
/// at their start, receives at their end.
std::uint64_t overlapping(const Schedule& schedule);

}  // namespace latitude::solve
