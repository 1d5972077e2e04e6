#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/prices.hpp"
#include "core/solve/schedule.hpp"

/// The order in which the CPUs of a graph take operations that its file leaves independent
/// (docs/explanation/model.md). `served` dependencies express the order, at most one per operation.
namespace latitude::solve {

/// The work of the CPUs at θ if they serve first come, first served.
struct Service {
  std::vector<std::uint32_t> place;  ///< by vertex: its place among all
  std::vector<bool> waited;  ///< by vertex: whether it came while its CPU still served another one
};

/// A calc or a send comes when all that it waits for is done, a receive when its message is also
/// there. Operations that come at one instant are served in the order of LogGOPSim's queue. The
/// queue sorts by the time at which they became known (for a message, the time of sending), and
/// within one instant by kind: sends, receives, calcs. InputError if operations wait in a cycle.
Service service(const graph::Graph& graph, const model::Network& network, Direction direction,
                double theta);

/// The graph in which each CPU takes its operations in the order of the file, as far as
/// dependencies allow. InputError if they then wait for each other in a cycle.
graph::Graph in_file_order(graph::Graph graph, const model::Network& network);

/// The graph in which, at every θ, operations that had to wait for each other in this service run
/// one after the other on their CPU. At the θ of the service, T is that of the service, and no CPU
/// does two things at once. An operation that did not have to wait gets no order, because an order
/// would delay it at other θ.
graph::Graph in_order_of(graph::Graph graph, const Service& service);

/// Number of pairs of operations to which `ordered` has added an order.
std::uint64_t choices(const graph::Graph& ordered);

/// Number of these pairs that the CPUs serve in reverse order in this service.
std::uint64_t otherwise(const graph::Graph& ordered, const Service& service);

/// Number of operations that begin on a CPU still held by another one. Calcs hold the CPU all the
/// time, sends at their start, receives at their end.
std::uint64_t overlapping(const Schedule& schedule);

}  // namespace latitude::solve
