#include "core/graph/job/collectives.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <ranges>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/graph/nccl/tree.hpp"

namespace latitude::graph {
namespace {

using Way = CollectiveKind::Way;

constexpr CollectiveKind kKinds[] = {
    {"all_reduce", Way::ring, 2}, {"all_gather", Way::ring},  {"reduce_scatter", Way::ring},
    {"broadcast", Way::pipeline}, {"reduce", Way::pipeline},  {"all_to_all", Way::exchange},
    {"gather", Way::exchange},    {"scatter", Way::exchange}, {"send", Way::message},
    {"barrier", Way::ring, 2},    {"eager_send", Way::eager},
};

/// A group's ranks by node, in the order of the ring.
struct Shape {
  std::span<const std::uint32_t> ranks;
  std::vector<std::vector<std::uint32_t>> nodes;
  std::size_t most = 0;  ///< largest number of ranks on a node
};

/// The hops of one chunk, and the share of the buffer that each of its messages has. The share is 0
/// for algorithms in switches, as NCCL does not publish how many bytes each of their links carries.
struct Route {
  std::vector<Hop> hops;
  double share = 0;
};

std::uint32_t messages_of(const Route& route) {
  std::uint32_t count = 0;
  for (const Hop& hop : route.hops) count += hop.times;
  return count;
}

/// A route on which all messages have equal shares of `total`.
Route sharing(std::vector<Hop> hops, double total) {
  Route route{.hops = std::move(hops)};
  route.share = total / std::max(1U, messages_of(route));
  return route;
}

/// Whether data go around the ring twice, as in an all-reduce (and in a barrier, which is one).
bool reduces_all(const CollectiveKind& kind) { return kind.way == Way::ring && kind.rounds == 2; }
bool gathers(const CollectiveKind& kind) { return kind.way == Way::ring && kind.rounds == 1; }

double all_but_own(const Shape& shape) {
  const auto n = static_cast<double>(shape.ranks.size());
  return (n - 1) / n;
}

/// The way from the deepest node of the tree over nodes to its root: the first rank of each node.
std::vector<std::uint32_t> to_root(const Shape& shape) {
  const auto nodes = static_cast<std::int32_t>(shape.nodes.size());
  std::vector<std::uint32_t> longest;
  std::size_t ranks = 0;
  for (std::int32_t leaf = 0; leaf < nodes; ++leaf) {
    std::vector<std::uint32_t> way;
    for (std::int32_t at = leaf; at != nccl::kNoPeer; at = nccl::place_in(nodes, at, false).up) {
      way.push_back(shape.nodes[static_cast<std::size_t>(at)].front());
    }
    const std::size_t own = shape.nodes[static_cast<std::size_t>(leaf)].size();
    if (std::pair(way.size(), own) > std::pair(longest.size(), ranks)) {
      longest = std::move(way);
      ranks = own;
    }
  }
  return longest;
}

/// Adds the hops along a way and back again.
void add_there_and_back(std::vector<Hop>& hops, std::span<const std::uint32_t> way) {
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    hops.push_back({way[i], way[i + 1], 1});
    hops.push_back({way[i + 1], way[i], 1});
  }
}

/// The node with most ranks.
const std::vector<std::uint32_t>& fullest(const Shape& shape) {
  return *std::ranges::max_element(shape.nodes, {}, &std::vector<std::uint32_t>::size);
}

void add_from_node_to_node(std::vector<Hop>& hops, const Shape& shape) {
  if (shape.nodes.size() < 2) return;
  hops.push_back({shape.nodes[0].front(), shape.nodes[1].front(), 1});
}

/// The route up a chain inside each node and the tree over nodes, and back.
Route tree(const Shape& shape) {
  const std::vector<std::uint32_t> way = to_root(shape);
  const auto leaf = std::ranges::find_if(
      shape.nodes, [&](const auto& ranks) { return ranks.front() == way.front(); });
  std::vector<std::uint32_t> chain(leaf->rbegin(), leaf->rend());
  chain.insert(chain.end(), way.begin() + 1, way.end());
  std::vector<Hop> hops;
  add_there_and_back(hops, chain);
  return sharing(std::move(hops), 2);
}

/// The route to the rank at half, a quarter and so on of the ring; back, for a reduce-scatter.
Route pat(const Shape& shape) {
  const auto n = static_cast<std::uint32_t>(shape.ranks.size());
  std::vector<Hop> hops;
  std::uint32_t at = 0;
  for (std::uint32_t distance = std::bit_ceil(n) / 2; distance > 0; distance /= 2) {
    const std::uint32_t to = (at + distance) % n;
    hops.push_back({shape.ranks[at], shape.ranks[to], 1});
    at = to;
  }
  return sharing(std::move(hops), all_but_own(shape));
}

/// The route through the switch of a node; over several nodes the network's switches combine, too.
Route nvls(const Shape& shape) {
  const std::vector<std::uint32_t>& node = fullest(shape);
  std::vector<Hop> hops{{node[0], node[1], 1}};
  add_from_node_to_node(hops, shape);
  return {.hops = std::move(hops)};
}

/// The route of NVLS inside nodes, and of the tree over them.
Route nvls_tree(const Shape& shape) {
  const std::vector<std::uint32_t>& node = fullest(shape);
  std::vector<Hop> hops{{node[0], node[1], 1}};
  add_there_and_back(hops, to_root(shape));
  return {.hops = std::move(hops)};
}

/// The route to the ranks with a network card and back; the network's switches combine.
Route collnet_direct(const Shape& shape) {
  std::vector<Hop> hops;
  const std::vector<std::uint32_t>& node = fullest(shape);
  if (node.size() > 1) add_there_and_back(hops, std::span(node).first(2));
  add_from_node_to_node(hops, shape);
  return {.hops = std::move(hops)};
}

/// The route along a chain inside each node and back; the network's switches combine.
Route collnet_chain(const Shape& shape) {
  std::vector<Hop> hops;
  add_there_and_back(hops, fullest(shape));
  add_from_node_to_node(hops, shape);
  return {.hops = std::move(hops)};
}

constexpr std::size_t kMostOfCollnet = 8;  ///< NCCL's limits for ranks on a node
constexpr std::size_t kMostOfNvls = 32;

struct Algorithm {
  std::string_view name;
  bool (*fits)(const Shape& shape, const CollectiveKind& kind);
  Route (*route)(const Shape& shape);
};

bool by_collnet(const Shape& shape, const CollectiveKind& kind) {
  return reduces_all(kind) && shape.nodes.size() > 1 && shape.most <= kMostOfCollnet;
}

/// The algorithms of job_algorithms(), without the first.
constexpr Algorithm kAlgorithms[] = {
    {"tree", [](const Shape&, const CollectiveKind& kind) { return reduces_all(kind); }, tree},
    {"pat",
     [](const Shape& shape, const CollectiveKind& kind) {
       return gathers(kind) && shape.nodes.size() == shape.ranks.size();
     },
     pat},
    {"nvls",
     [](const Shape& shape, const CollectiveKind& kind) {
       if (shape.most < 2) return false;
       return reduces_all(kind) ||
              (gathers(kind) && shape.nodes.size() == 1 && shape.most <= kMostOfNvls);
     },
     nvls},
    {"nvls_tree",
     [](const Shape& shape, const CollectiveKind& kind) {
       return reduces_all(kind) && shape.nodes.size() > 1 && shape.most > 1;
     },
     nvls_tree},
    {"collnet_direct", by_collnet, collnet_direct},
    {"collnet_chain", by_collnet, collnet_chain},
};

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kAlgorithms) + 1> names{"ring"};
  for (std::size_t i = 0; i < std::size(kAlgorithms); ++i) names[i + 1] = kAlgorithms[i].name;
  return names;
}();

/// The links that one chunk crosses in `steps` steps around a ring. If `steps` is 0, the link
/// between the first and the last rank. The ring's first links are those that the chunk crosses
/// least often. Each step takes `trips` latencies.
std::vector<Hop> around(std::span<const std::uint32_t> ranks, std::uint32_t steps,
                        std::uint32_t trips) {
  const auto n = static_cast<std::uint32_t>(ranks.size());
  if (steps == 0) return {{ranks.front(), ranks.back(), 1}};
  std::vector<Hop> hops;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t times = steps / n + (i >= n - steps % n ? 1 : 0);
    if (times > 0) hops.push_back({ranks[i], ranks[(i + 1) % n], times * trips});
  }
  return hops;
}

class Router {
 public:
  explicit Router(const Groups& groups) : groups_(groups) {}

  Transfer transfer_of(const JobCollective& each) {
    const CollectiveKind& kind = kKinds[each.kind];
    const std::span<const std::uint32_t> ranks = groups_.of(each.group);
    const auto n = static_cast<std::uint32_t>(ranks.size());
    if (n < 2) return {};
    const bool around_ring = kind.way == Way::ring || kind.way == Way::pipeline;
    const std::uint32_t steps = around_ring ? kind.rounds * (n - 1) : 0;
    const std::uint32_t trips = kind.way == Way::ring ? each.trips : 1;
    const bool own = each.algorithm == 0;
    const auto [known, fresh] =
        known_.try_emplace({each.group, each.algorithm, own ? steps : each.kind, trips});
    Known& route = known->second;
    if (fresh) {
      if (!fits(each, each.algorithm)) {
        throw InputError(std::string(kNames[each.algorithm]) + " does not fit a collective");
      }
      Route made = own ? Route{.hops = around(ranks, steps, trips)}
                       : kAlgorithms[each.algorithm - 1].route(shape_of(each.group));
      route = {static_cast<std::uint32_t>(found_.hops.size()),
               static_cast<std::uint32_t>(made.hops.size()), made.share};
      found_.hops.insert(found_.hops.end(), made.hops.begin(), made.hops.end());
    }
    const double share = !own                        ? route.share
                         : kind.way == Way::ring     ? 1.0 / n
                         : kind.way == Way::pipeline ? 1.0 / (n - 1)
                         : kind.way == Way::exchange ? (n - 1.0) / n
                                                     : 1.0;
    const double bytes = each.bytes * share / (own ? trips : 1);
    return {route.first, route.hops, std::max(0.0, bytes - (kind.way == Way::eager ? 1 : 0))};
  }

  bool fits(const JobCollective& each, std::uint32_t algorithm) {
    if (algorithm == 0) return true;
    return each.trips == 1 && groups_.of(each.group).size() > 1 &&
           kAlgorithms[algorithm - 1].fits(shape_of(each.group), kKinds[each.kind]);
  }

  Routes found() && { return std::move(found_); }
  void add(const JobCollective& each) { found_.transfers.push_back(transfer_of(each)); }

 private:
  struct Known {
    std::uint32_t first = 0;  ///< index of its first hop
    std::uint32_t hops = 0;
    double share = 0;
  };

  const Shape& shape_of(std::uint32_t group) {
    const auto [known, fresh] = shapes_.try_emplace(group);
    Shape& shape = known->second;
    if (!fresh) return shape;
    shape.ranks = groups_.of(group);
    std::map<std::uint32_t, std::size_t> number;
    for (const std::uint32_t rank : shape.ranks) {
      const std::uint32_t node = groups_.node.empty() ? rank : groups_.node[rank];
      const auto [at, first] = number.try_emplace(node, shape.nodes.size());
      if (first) shape.nodes.emplace_back();
      shape.nodes[at->second].push_back(rank);
    }
    shape.most = fullest(shape).size();
    return shape;
  }

  const Groups& groups_;
  Routes found_;
  std::map<std::uint32_t, Shape> shapes_;  ///< by group
  /// By group, algorithm, number of steps (own algorithm) or kind (any other), and trips.
  std::map<std::array<std::uint32_t, 4>, Known> known_;
};

}  // namespace

std::span<const CollectiveKind> collective_kinds() { return kKinds; }

std::span<const std::string_view> job_algorithms() { return kNames; }

Routes routes_of(std::span<const JobCollective> collectives, const Groups& groups) {
  Router router(groups);
  for (const JobCollective& each : collectives) router.add(each);
  return std::move(router).found();
}

std::vector<std::uint8_t> fits_of(std::span<const JobCollective> collectives, const Groups& groups,
                                  std::uint32_t algorithm) {
  Router router(groups);
  std::vector<std::uint8_t> fits;
  fits.reserve(collectives.size());
  for (const JobCollective& each : collectives)
    fits.push_back(router.fits(each, algorithm) ? 1 : 0);
  return fits;
}

Graph rerouted(Graph graph, Routes routes, std::span<const VertexId> vertex,
               std::span<const std::int64_t> ns) {
  graph.hops = std::move(routes.hops);
  graph.transfers = std::move(routes.transfers);
  for (std::size_t i = 0; i < vertex.size(); ++i) {
    if (vertex[i] != kNoVertex) graph.vertices[vertex[i]].value = ns[i];
  }
  return graph;
}

}  // namespace latitude::graph
