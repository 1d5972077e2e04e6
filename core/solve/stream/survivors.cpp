#include "core/solve/stream/survivors.hpp"

#include <algorithm>
#include <utility>

namespace latitude::solve {
namespace {

constexpr std::size_t kSurvivorsAtOnce = 1024;  ///< nodes

std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

template <class Map, class Add>
void add_each(Map& to, const Map& from, Add add) {
  from.each([&](std::uint64_t key, const auto& value) { add(to[key], value); });
}

}  // namespace

void PathSums::add(const PathPiece& piece) {
  PlaceOnPath& at = places[piece.place];
  at.steps += piece.begins ? 1 : 0;
  at.before_ns += piece.before_ns;
  (piece.computes ? at.calc_ns : at.copying_ns) += piece.ns;
  at.latency_ns += piece.latency_ns;
  at.gap_ns += piece.gap_ns;
  at.overhead_ns += piece.overhead_ns;
  at.bytes += piece.bytes;
  at.latencies += piece.latencies;
  at.overheads += piece.overheads;
  ranks[piece.rank] += piece.time_ns;
  if (piece.latencies == 0 && piece.bytes == 0) return;
  PairOnPath& pair =
      pairs[piece.receives ? pair_of(piece.peer, piece.rank) : pair_of(piece.rank, piece.peer)];
  pair.latencies += piece.latencies;
  pair.bytes += piece.bytes;
  if (piece.receives) senders[pair_of(piece.place, piece.sender_place)] += piece.latencies;
}

void PathSums::add(const PathSums& other) {
  add_each(places, other.places, [](PlaceOnPath& to, const PlaceOnPath& from) {
    to.steps += from.steps;
    to.before_ns += from.before_ns;
    to.calc_ns += from.calc_ns;
    to.copying_ns += from.copying_ns;
    to.latency_ns += from.latency_ns;
    to.gap_ns += from.gap_ns;
    to.overhead_ns += from.overhead_ns;
    to.bytes += from.bytes;
    to.latencies += from.latencies;
    to.overheads += from.overheads;
  });
  add_each(ranks, other.ranks, [](double& to, double from) { to += from; });
  add_each(pairs, other.pairs, [](PairOnPath& to, const PairOnPath& from) {
    to.latencies += from.latencies;
    to.bytes += from.bytes;
  });
  add_each(senders, other.senders, [](std::uint64_t& to, std::uint64_t from) { to += from; });
}

SurvivorRef Survivors::make(const SurvivorRef& before) {
  if (free_.empty()) {
    blocks_.push_back(std::make_unique<Survivor[]>(kSurvivorsAtOnce));
    for (std::size_t i = kSurvivorsAtOnce; i-- > 0;) {
      blocks_.back()[i].of = this;
      blocks_.back()[i].self =
          static_cast<std::uint32_t>((blocks_.size() - 1) * kSurvivorsAtOnce + i);
      free_.push_back(&blocks_.back()[i]);
    }
  }
  Survivor* const node = free_.back();
  free_.pop_back();
  if (++there_ > most_) most_ = there_;
  node->before = before.node_;
  if (before.exists()) {
    ++before.node_->after;
    before.node_->mix ^= node->self;
    node->last_step = before.node_->last_step;
    node->origin = before.node_->origin;
  }
  return SurvivorRef(node);
}

void Survivors::add(Survivor& node, const PathPiece& piece) {
  PathPiece& added = node.pieces[node.count++] = piece;
  if (piece.place == 0) {
    node.computed_ns += piece.computes ? piece.ns : 0;
    return;
  }
  if (node.first == 0) node.first = piece.place;
  added.before_ns = std::exchange(node.computed_ns, 0);
}

/// Puts the pieces of `before` in front of the pieces of `after`. Neither node has sums, and all
/// pieces fit into `after`.
void Survivors::move_pieces(const Survivor& before, Survivor& after) {
  std::copy_backward(after.pieces, after.pieces + after.count,
                     after.pieces + after.count + before.count);
  std::copy(before.pieces, before.pieces + before.count, after.pieces);
  after.count = static_cast<std::uint8_t>(after.count + before.count);
  if (after.first == 0) {
    after.computed_ns += before.computed_ns;
  } else {
    PathPiece* called = after.pieces + before.count;
    while (called->place == 0) ++called;
    called->before_ns += before.computed_ns;
  }
}

/// The part before a node becomes a part of the node after it.
void Survivors::move_on(Survivor& before, Survivor& after) {
  if (before.sums == nullptr && after.sums == nullptr) {
    if (before.count + after.count <= Survivor::kPieces) {
      move_pieces(before, after);
      if (before.first != 0) after.first = before.first;
      return;
    }
    before.sums = std::make_unique<PathSums>();
  }
  for (const Survivor* each : {&before, &after}) {
    if (each->sums != nullptr) sums_ -= each->sums->size();
  }
  const bool swap =
      before.sums == nullptr || (after.sums != nullptr && after.sums->size() > before.sums->size());
  std::unique_ptr<PathSums> sums = std::move(swap ? after.sums : before.sums);
  const std::unique_ptr<PathSums> less = std::move(swap ? before.sums : after.sums);
  if (less != nullptr) sums->add(*less);
  for (Survivor* const each : {&before, &after}) {
    for (std::uint8_t i = 0; i < each->count; ++i) sums->add(each->pieces[i]);
    each->count = 0;
  }
  if (after.first == 0) {
    after.computed_ns += before.computed_ns;
  } else if (before.computed_ns != 0) {
    sums->places[after.first].before_ns += before.computed_ns;
  }
  if (before.first != 0) after.first = before.first;
  sums_ += sums->size();
  after.sums = std::move(sums);
}

void Survivors::give_back(Survivor* node) {
  node->after = 0;
  node->mix = 0;
  node->count = 0;
  node->first = 0;
  node->computed_ns = 0;
  if (node->sums != nullptr) sums_ -= node->sums->size();
  node->sums.reset();
  --there_;
  free_.push_back(node);
}

/// Drops nodes to which nothing refers, from `node` back. A node with a single node after it is
/// joined to that node.
void Survivors::let_go(Survivor* node) {
  while (node != nullptr && node->holders == 0) {
    Survivor* const before = node->before;
    if (node->after == 1) {
      join(node);
      return;
    }
    if (node->after > 1) return;
    if (before != nullptr) {
      --before->after;
      before->mix ^= node->self;
    }
    give_back(node);
    node = before;
  }
}

void Survivors::join(Survivor* node) {
  Survivor* const after = &this->node(node->mix);
  Survivor* const before = node->before;
  move_on(*node, *after);
  after->before = before;
  if (before != nullptr) before->mix ^= node->self ^ after->self;
  give_back(node);
}

Survivor& Survivors::node(std::uint32_t number) {
  return blocks_[number / kSurvivorsAtOnce][number % kSurvivorsAtOnce];
}

void Survivors::cut() {
  std::vector<Survivor*> nodes;
  for (const std::unique_ptr<Survivor[]>& block : blocks_) {
    for (std::size_t i = 0; i < kSurvivorsAtOnce; ++i) {
      if (block[i].holders > 0 || block[i].after > 0) nodes.push_back(&block[i]);
    }
  }
  if (cuts_ < chosen_.size()) before_cuts_.add(path(&node(chosen_[cuts_])));
  ++cuts_;
  // Computation counts with the call after it, which may come after the cut.
  std::vector<double> computed_ns(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const Survivor* at = nodes[i]; at != nullptr; at = at->before) {
      computed_ns[i] += at->computed_ns;
      if (at->first != 0) break;
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> origins;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Survivor& each = *nodes[i];
    origins.emplace_back(each.self, std::exchange(each.origin, each.self));
    each.before = nullptr;
    each.after = each.mix = each.first = 0;
    each.count = 0;
    each.computed_ns = computed_ns[i];
    each.sums.reset();
  }
  sums_ = 0;
  for (Survivor* const each : nodes) {
    if (each->holders == 0) give_back(each);
  }
  if (!chosen_.empty()) return;
  if (!origins_.empty()) {
    std::vector<std::uint32_t> referred;
    for (const auto& [number, origin] : origins) referred.push_back(origin);
    std::ranges::sort(referred);
    std::erase_if(origins_.back(), [&](const auto& before) {
      return !std::ranges::binary_search(referred, before.first);
    });
  }
  origins_.push_back(std::move(origins));
}

std::vector<std::uint32_t> Survivors::cuts_on(const SurvivorRef& to) const {
  std::vector<std::uint32_t> way(origins_.size());
  std::uint32_t at = to.node().origin;
  for (std::size_t cut = way.size(); cut-- > 0;) {
    way[cut] = at;
    at = std::ranges::lower_bound(origins_[cut], at, {}, [](const auto& of) {
           return of.first;
         })->second;
  }
  return way;
}

PathSums Survivors::path(const Survivor* to) {
  std::vector<const Survivor*> way;
  for (const Survivor* at = to; at != nullptr; at = at->before) way.push_back(at);
  PathSums sums;
  double computed_ns = 0;
  for (std::size_t i = way.size(); i-- > 0;) {
    const Survivor& at = *way[i];
    if (at.sums != nullptr) sums.add(*at.sums);
    for (std::uint8_t k = 0; k < at.count; ++k) sums.add(at.pieces[k]);
    if (at.first != 0) {
      sums.places[at.first].before_ns += std::exchange(computed_ns, 0.0);
    }
    computed_ns += at.computed_ns;
  }
  return sums;
}

}  // namespace latitude::solve
