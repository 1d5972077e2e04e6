#include "core/model/network.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace latitude::model {

void Network::check(std::uint32_t ranks) const {
  base.check();
  for (const LinkClass& link : classes) {
    LogGPS of_class = base;
    of_class.L = link.L;
    of_class.G = link.G;
    of_class.o = link.o.value_or(base.o);
    of_class.O = link.O.value_or(base.O);
    of_class.g = link.g.value_or(base.g);
    try {
      of_class.check();
    } catch (const InputError& error) {
      throw InputError("link class '" + link.name + "': " + error.what());
    }
  }
  if (classes.empty()) throw InputError("a network needs at least one link class");
  if (one_class()) return;
  if (node_of_rank.size() != ranks) {
    throw InputError("the placement names the nodes of " + std::to_string(node_of_rank.size()) +
                     " ranks, but the program has " + std::to_string(ranks));
  }
  if (class_of.size() != std::size_t{nodes} * nodes) {
    throw InputError("the link classes of " + std::to_string(nodes) + " nodes need " +
                     std::to_string(std::size_t{nodes} * nodes) + " entries, not " +
                     std::to_string(class_of.size()));
  }
  if (std::ranges::any_of(node_of_rank, [&](std::uint32_t node) { return node >= nodes; })) {
    throw InputError("the placement names a node beyond the network's " + std::to_string(nodes));
  }
  if (std::ranges::any_of(class_of, [&](ClassId link) { return link >= classes.size(); })) {
    throw InputError("a pair of nodes has a link class beyond the network's " +
                     std::to_string(classes.size()));
  }
}

}  // namespace latitude::model
