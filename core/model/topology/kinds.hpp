#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/model/topology/spec.hpp"
#include "core/model/topology/topology.hpp"

/// Every kind of topology, one entry each: the function that makes it (in a file of its own), its
/// name, an example, a description, its number of nodes, and the number h of switches between two
/// nodes. Option help, docs and tests use this list.
#define LATITUDE_TOPOLOGIES(KIND)                                                                 \
  KIND(make_fat_tree, "fat-tree", "fat-tree:k=16,tiers=3",                                        \
       "switches of k ports; node numbers fill edge switches, then pods", "k³/4",                 \
       "1 on the same edge switch, 3 in the same pod, else 5")                                    \
  KIND(make_dragonfly, "dragonfly", "dragonfly:g=9,a=4,p=2",                                      \
       "g groups of a switches with p nodes each", "g · a · p",                                   \
       "1 on the same router, 2 in the same group, else 2, 3 or 4, because the route takes one "  \
       "global cable and passes the routers at both of its ends")                                 \
  KIND(make_dragonfly_plus, "dragonfly+", "dragonfly+:groups=4,leaves=6,spines=6,p=8",            \
       "groups whose leaves and spines are all connected, p nodes per leaf",                      \
       "groups · leaves · p", "1 on the same leaf, 3 in the same group, else 4")                  \
  KIND(make_torus, "torus", "torus:4x4x2,p=1", "one switch per point, p nodes each",              \
       "product of the sides · p",                                                                \
       "1 + the sum of the distances in all dimensions, each the shorter way around")             \
  KIND(make_hyperx, "hyperx", "hyperx:4x4x2,p=4",                                                 \
       "switches on a grid, all of a line linked to each other, p nodes each",                    \
       "product of the sides · p", "1 + the number of dimensions in which their switches differ") \
  KIND(make_slim_fly, "slim-fly", "slim-fly:q=5,p=4",                                             \
       "2q² switches at most two links apart, p nodes each", "2q² · p",                           \
       "1 on the same router, 2 if their routers are linked, else 3")

namespace latitude::model {

/// Each function reads the parameters of its example, and others with defaults
/// (docs/reference/networks.md).
#define LATITUDE_DECLARE(MAKE, NAME, EXAMPLE, WHAT, NODES, HOPS) \
  std::unique_ptr<Topology> MAKE(TopologySpec& spec);
LATITUDE_TOPOLOGIES(LATITUDE_DECLARE)
#undef LATITUDE_DECLARE

/// An entry of the list.
struct TopologyKind {
  std::unique_ptr<Topology> (*make)(TopologySpec&);
  std::string_view name;
  std::string_view example;
  std::string_view what;
  std::string_view nodes;
  std::string_view hops;
};
std::span<const TopologyKind> topology_kinds();

/// Switch counts from a text file: one row per node, numbers separated by blanks or commas.
std::unique_ptr<Topology> read_hop_matrix(const std::string& path);

}  // namespace latitude::model
