#pragma once

#include <memory>
#include <string>

#include "core/model/topology/spec.hpp"
#include "core/model/topology/topology.hpp"

namespace latitude::model {

/// One function a kind, each in its own file; they read the parameters that docs/model.md lists.
std::unique_ptr<Topology> make_fat_tree(TopologySpec& spec);
std::unique_ptr<Topology> make_dragonfly(TopologySpec& spec);
std::unique_ptr<Topology> make_dragonfly_plus(TopologySpec& spec);
std::unique_ptr<Topology> make_torus(TopologySpec& spec);
std::unique_ptr<Topology> make_slim_fly(TopologySpec& spec);

/// Switch counts from a text file: one row a node, numbers apart by blanks or commas.
std::unique_ptr<Topology> read_hop_matrix(const std::string& path);

}  // namespace latitude::model
