#include "core/solve/placement.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/one_limit.hpp"
#include "core/solve/values.hpp"

namespace latitude::solve {

namespace {

void check_placements(std::span<const std::uint32_t> nodes_of_ranks, std::uint32_t ranks,
                      std::uint32_t nodes) {
  if (ranks == 0 || nodes_of_ranks.size() % ranks != 0) {
    throw InputError("a placement needs the node of each of " + std::to_string(ranks) + " ranks");
  }
  if (std::ranges::any_of(nodes_of_ranks, [&](auto node) { return node >= nodes; })) {
    throw InputError("the placement names a node beyond the network's " + std::to_string(nodes));
  }
}

}  // namespace

/// The graph as a DAG with prices on its edges. An instant is the end of an edge.
class PlacementBuilding {
 public:
  using Instant = PlacementDag::Edge;
  using PriceId = PlacementDag::PriceId;

  PlacementBuilding(const graph::Graph& graph, PlacementDag& dag)
      : dag_(dag), prices_ends_(dag.network_.prices_ends()), pair_of_end_(graph.vertices.size()) {
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
      for (auto v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
        if (graph.vertices[v].kind != graph::Kind::send) continue;
        const graph::VertexId receive = graph.vertices[v].partner;
        const std::uint32_t other = graph.rank_of(receive);
        if (other == rank && !prices_ends_) continue;
        const auto next = static_cast<std::uint32_t>(dag_.pairs_.size());
        const auto [at, added] = known.try_emplace(std::uint64_t{rank} << 32 | other, next);
        if (added) dag_.pairs_.push_back({rank, other});
        pair_of_end_[v] = pair_of_end_[receive] = at->second;
      }
    }
    dag_.prices_.push_back({});
  }

  static Instant origin() { return {0, PlacementDag::kFree, 0}; }

  Instant add(Instant at, const Cost& cost) {
    PlacementDag::Price open{.before = at.price, .latencies = cost.latencies, .bytes = cost.bytes};
    bool is_open = cost.latencies != 0 || cost.bytes != 0;
    if (prices_ends_) {
      open.overheads = cost.overheads;
      open.copied = cost.copied;
      open.gaps = cost.gaps;
      is_open = is_open || cost.overheads != 0 || cost.copied != 0 || cost.gaps != 0;
      at.constant += cost.ns;
    } else {
      const model::LogGPS& all = dag_.network_.base;
      at.constant += cost.ns + cost.copied * all.O + cost.gaps * all.g + cost.overheads * all.o;
    }
    if (is_open) {
      open.pair = pair_of_end_[cost.message];
      at.price = price(open);
    }
    return at;
  }

  Instant join(const Instant& a, const Instant& b) {
    if (a.from == b.from && a.price == b.price) return a.constant >= b.constant ? a : b;
    if (is_origin(a)) return b;
    if (is_origin(b)) return a;
    if (a.from == b.from && dag_.prices_[a.price].before == b.price && a.constant >= b.constant) {
      return a;  // the same instant, later by a price
    }
    if (dag_.nodes_.size() >= graph::kNoVertex - 1) {
      throw InputError("the graph is too large to place: over four billion joins");
    }
    dag_.nodes_.push_back({{a, b}});
    return {static_cast<std::uint32_t>(dag_.nodes_.size()), PlacementDag::kFree, 0};
  }

  static Instant started(graph::VertexId, Instant at) { return at; }
  static Instant ended(graph::VertexId, Instant at) { return at; }
  void finished(const Instant& at) { dag_.result_ = join(dag_.result_, at); }

 private:
  /// No instant is earlier than time zero.
  static bool is_origin(const Instant& at) {
    return at.from == 0 && at.price == PlacementDag::kFree && at.constant == 0;
  }

  struct Key {
    std::array<std::uint64_t, 6> words;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept {
      std::uint64_t hash = 0;
      for (const std::uint64_t word : key.words) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio
        hash ^= hash >> 32;
      }
      return hash;
    }
  };

  PriceId price(const PlacementDag::Price& wanted) {
    const Key key{
        {std::uint64_t{wanted.before} << 32 | wanted.pair,
         std::bit_cast<std::uint64_t>(wanted.latencies), std::bit_cast<std::uint64_t>(wanted.bytes),
         std::bit_cast<std::uint64_t>(wanted.overheads),
         std::bit_cast<std::uint64_t>(wanted.copied), std::bit_cast<std::uint64_t>(wanted.gaps)}};
    const auto next = static_cast<PriceId>(dag_.prices_.size());
    const auto [at, added] = known_.try_emplace(key, next);
    if (added) dag_.prices_.push_back(wanted);
    return at->second;
  }

  PlacementDag& dag_;
  bool prices_ends_;
  std::vector<std::uint32_t> pair_of_end_;
  std::unordered_map<Key, PriceId, Hash> known_;
};

PlacementDag::PlacementDag(const graph::Graph& graph, const model::Network& network)
    : ranks_(graph.ranks()), network_(network) {
  network.check(graph.ranks());
  if (network.one_class()) throw InputError("to place ranks, a network needs nodes and classes");
  PlacementBuilding algebra(graph, *this);
  Lowering<PlacementBuilding>(graph, network.base, algebra).run();
}

void PlacementDag::price(std::span<const std::uint32_t> node_of_rank, double* ns,
                         std::size_t stride) const {
  const bool prices_ends = network_.prices_ends();
  ns[0] = 0;
  for (PriceId i = 1; i < prices_.size(); ++i) {
    const Price& price = prices_[i];
    const Pair& pair = pairs_[price.pair];
    const std::size_t row = std::size_t{node_of_rank[pair.source]} * network_.nodes;
    const model::ClassId of = network_.class_of[row + node_of_rank[pair.destination]];
    const model::LinkClass& link = network_.classes[of];
    double& open = ns[i * stride];
    open = ns[price.before * stride] + price.latencies * link.L + price.bytes * link.G;
    if (!prices_ends) continue;
    open += price.overheads * network_.o(of) + price.copied * network_.O(of) +
            price.gaps * network_.g(of);
  }
}

std::vector<double> PlacementDag::runtimes(std::span<const std::uint32_t> nodes_of_ranks,
                                           unsigned threads) const {
  constexpr std::size_t kLanes = 8;
  check_placements(nodes_of_ranks, ranks_, network_.nodes);
  const std::size_t count = nodes_of_ranks.size() / ranks_;
  std::vector<double> result(count);
  parallel_for((count + kLanes - 1) / kLanes, threads, [&](std::size_t batch) {
    const std::size_t first = batch * kLanes;
    const Values prices(prices_.size() * kLanes);
    const Values values((nodes_.size() + 1) * kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t which = std::min(first + lane, count - 1);
      price(nodes_of_ranks.subspan(which * ranks_, ranks_), prices.data() + lane, kLanes);
    }
    std::fill_n(values.data(), kLanes, 0.0);
    double* to = values.data();
    for (const Node& node : nodes_) {
      to += kLanes;
      const Edge& a = node.edge[0];
      const Edge& b = node.edge[1];
      const double* value_a = values.data() + a.from * kLanes;
      const double* value_b = values.data() + b.from * kLanes;
      const double* price_a = prices.data() + a.price * kLanes;
      const double* price_b = prices.data() + b.price * kLanes;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        to[lane] = std::max(value_a[lane] + (a.constant + price_a[lane]),
                            value_b[lane] + (b.constant + price_b[lane]));
      }
    }
    for (std::size_t lane = 0; lane < kLanes && first + lane < count; ++lane) {
      result[first + lane] = values.data()[result_.from * kLanes + lane] +
                             (result_.constant + prices.data()[result_.price * kLanes + lane]);
    }
  });
  return result;
}

std::vector<PairShare> PlacementDag::shares(std::span<const std::uint32_t> node_of_rank,
                                            double smoothing_ns) const {
  check_placements(node_of_rank, ranks_, network_.nodes);
  if (node_of_rank.size() != ranks_) throw InputError("shares are those of one placement");
  std::vector<double> prices(prices_.size());
  price(node_of_rank, prices.data(), 1);
  std::vector<double> value(nodes_.size() + 1, 0.0);
  std::vector<double> first_share(nodes_.size());  // share of edge 0, while the node has only one
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto end = [&](const Edge& edge) {
      return value[edge.from] + (edge.constant + prices[edge.price]);
    };
    const double a = end(nodes_[i].edge[0]);
    const double b = end(nodes_[i].edge[1]);
    if (smoothing_ns > 0) {
      first_share[i] = 1 / (1 + std::exp((b - a) / smoothing_ns));
      value[i + 1] =
          std::max(a, b) + smoothing_ns * std::log1p(std::exp(-std::abs(a - b) / smoothing_ns));
    } else {
      first_share[i] = a >= b ? 1 : 0;
      value[i + 1] = std::max(a, b);
    }
  }
  std::vector<double> node_share(nodes_.size() + 1, 0.0);
  std::vector<double> price_share(prices_.size(), 0.0);
  const auto give = [&](const Edge& edge, double share) {
    node_share[edge.from] += share;
    price_share[edge.price] += share;
  };
  give(result_, 1);
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const double share = node_share[i + 1];
    if (share == 0) continue;
    give(nodes_[i].edge[0], share * first_share[i]);
    give(nodes_[i].edge[1], share * (1 - first_share[i]));
  }
  std::vector<PairShare> result(pairs_.size());
  for (std::size_t i = prices_.size(); i-- > 1;) {
    const Price& price = prices_[i];
    price_share[price.before] += price_share[i];
    result[price.pair].latencies += price_share[i] * price.latencies;
    result[price.pair].bytes += price_share[i] * price.bytes;
  }
  return result;
}

namespace {

/// Most joins of the stored compiled graphs; half a gigabyte.
constexpr std::size_t kMostJoins = std::size_t{1} << 23;

/// The messages of a pair, of one size and kind, whose protocols may differ between placements.
using Messages = std::set<std::pair<std::int64_t, bool>>;

std::map<std::pair<std::uint32_t, std::uint32_t>, Messages> messages_of(const graph::Graph& graph) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Messages> found;
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (auto v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      const graph::Vertex& send = graph.vertices[v];
      if (send.kind != graph::Kind::send || send.synchronous) continue;
      found[{rank, graph.rank_of(send.partner)}].emplace(send.value, send.immediate);
    }
  }
  return found;
}

}  // namespace

Placements::Placements(const graph::Graph& graph, const model::Network& network)
    : graph_(graph), network_(network) {
  network.check(graph.ranks());
  if (network.one_class()) throw InputError("to place ranks, a network needs nodes and classes");
  if (network.one_limit()) return;
  const std::set<model::ClassId> used(network.class_of.begin(), network.class_of.end());
  for (const auto& [pair, messages] : messages_of(graph)) {
    Varying varying{.pair = {pair.first, pair.second},
                    .protocols = std::vector<std::uint32_t>(network.classes.size())};
    std::map<std::vector<bool>, std::uint32_t> known;
    for (const model::ClassId link : used) {
      std::vector<bool> rendezvous;
      for (const auto& [size, immediate] : messages) {
        rendezvous.push_back(static_cast<std::uint64_t>(size) >
                             network.eager_limit(link, immediate));
      }
      const auto next = static_cast<std::uint32_t>(known.size());
      varying.protocols[link] = known.try_emplace(std::move(rendezvous), next).first->second;
    }
    if (known.size() > 1) varying_.push_back(std::move(varying));
  }
}

Placements::Protocols Placements::protocols_on(std::span<const std::uint32_t> node_of_rank) const {
  Protocols found;
  for (const Varying& each : varying_) {
    const std::size_t row = std::size_t{node_of_rank[each.pair.source]} * network_.nodes;
    const model::ClassId link = network_.class_of[row + node_of_rank[each.pair.destination]];
    found.push_back(each.protocols[link]);
  }
  return found;
}

PlacementDag Placements::compile(std::span<const std::uint32_t> node_of_rank) const {
  model::Network placed = network_;
  placed.node_of_rank.assign(node_of_rank.begin(), node_of_rank.end());
  const std::optional<OneLimit> one = with_one_limit(graph_, placed);
  return one ? PlacementDag(one->graph, one->network) : PlacementDag(graph_, placed);
}

const std::optional<PlacementDag>& Placements::compiled(
    Protocols protocols, std::span<const std::uint32_t> node_of_rank) {
  const auto known = std::ranges::find(compiled_, protocols, &Compiled::protocols);
  if (known != compiled_.end()) {
    compiled_.splice(compiled_.begin(), compiled_, known);
    return compiled_.front().dag;
  }
  std::optional<PlacementDag> dag;
  try {
    dag = compile(node_of_rank);
  } catch (const CycleError&) {  // not a placement to choose
  }
  compiled_.push_front({std::move(protocols), std::move(dag)});
  std::size_t joins = compiled_.front().joins();
  const auto is_beyond = [&](const Compiled& each) {
    joins += each.joins();
    return joins > kMostJoins;
  };
  // The newest one stays, whatever its size.
  compiled_.erase(std::find_if(std::next(compiled_.begin()), compiled_.end(), is_beyond),
                  compiled_.end());
  return compiled_.front().dag;
}

std::vector<double> Placements::runtimes(std::span<const std::uint32_t> nodes_of_ranks,
                                         unsigned threads) {
  check_placements(nodes_of_ranks, ranks(), network_.nodes);
  const std::size_t count = nodes_of_ranks.size() / ranks();
  const auto placement = [&](std::size_t i) {
    return nodes_of_ranks.subspan(i * ranks(), ranks());
  };
  std::map<Protocols, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < count; ++i) alike[protocols_on(placement(i))].push_back(i);
  std::vector<double> result(count, std::numeric_limits<double>::infinity());
  for (const auto& [protocols, those] : alike) {
    const auto& dag = compiled(protocols, placement(those.front()));
    if (!dag) continue;
    std::vector<std::uint32_t> nodes;
    for (const std::size_t i : those) std::ranges::copy(placement(i), std::back_inserter(nodes));
    const std::vector<double> found = dag->runtimes(nodes, threads);
    for (std::size_t i = 0; i < those.size(); ++i) result[those[i]] = found[i];
  }
  return result;
}

Placements::Shares Placements::shares(std::span<const std::uint32_t> node_of_rank,
                                      double smoothing_ns) {
  check_placements(node_of_rank, ranks(), network_.nodes);
  if (node_of_rank.size() != ranks()) throw InputError("shares are those of one placement");
  const auto& dag = compiled(protocols_on(node_of_rank), node_of_rank);
  if (!dag)
    return {compile(node_of_rank).pairs(),
            {}};  // compile() throws CycleError, which names the cycle
  return {dag->pairs(), dag->shares(node_of_rank, smoothing_ns)};
}

}  // namespace latitude::solve
