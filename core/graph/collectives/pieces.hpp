#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/collectives/blocks.hpp"
#include "core/graph/collectives/collective.hpp"
#include "core/graph/collectives/ranks.hpp"

namespace latitude::graph::collectives {

/// Parts that the algorithms of several operations share.

/// Throws an InputError that names the call and the rank.
[[noreturn]] void refuse(const Collective& c, const std::string& problem);
/// The sizes `what` ("recvcounts") as blocks, one per member. InputError if they are missing.
Blocks listed_blocks(const Collective& c, std::span<const std::int64_t> bytes,
                     std::string_view what);
/// Each member's block: equal ones, or `recv_bytes` in Allgatherv and Reduce_scatter.
Blocks member_blocks(const Collective& c);

/// Whether a collective has no other member, or nothing to move: MPI libraries then return
/// immediately.
inline bool trivial(const Collective& c) { return c.size < 2 || c.bytes == 0; }
/// As trivial(c), for blocks with sizes of their own.
inline bool trivial(const Collective& c, const Blocks& blocks) {
  return c.size < 2 || blocks.total() == 0;
}

/// Every index starts with its own block and ends with all: size-1 rounds to the next index in the
/// ring.
void ring_allgather(int rank, Order order, const Blocks& blocks, Steps& steps);
/// Every index ends with its own block of the sum: size-1 rounds around the ring.
void ring_reduce_scatter(int rank, Order order, const Blocks& blocks, Steps& steps);
/// As ring_allgather in log2 rounds, with a fold if the size is not a power of two.
void doubling_allgather(int rank, Order order, const Blocks& blocks, Steps& steps);

/// Blocks travel down the binomial tree, one subtree's blocks at a time; `blocks` are by index.
void binomial_scatter(int rank, Order order, const Blocks& blocks, Steps& steps);
/// The same upwards.
void binomial_gather(int rank, Order order, const Blocks& blocks, Steps& steps);

/// A rank that steps aside sends its vector to its partner, which combines it. True if `rank`
/// stays.
bool fold_in(const Fold& fold, int rank, std::uint64_t bytes, Steps& steps);
/// The partner returns `bytes`.
void fold_out(const Fold& fold, int rank, std::uint64_t bytes, Steps& steps);

/// One round of recursive halving: [kept] and [given] halve the range of blocks held before it.
struct Halving {
  int partner;  ///< folded number
  int kept_first, kept_last;
  int given_first, given_last;
};
enum class Nearest { first, last };
/// The rounds of recursive halving of number `v` of `count` ranks (a power of two).
/// Distances grow 1, 2, 4… (Nearest::first; the largest messages go to the nearest rank) or shrink
/// …4, 2, 1 (every number ends with its own block).
std::vector<Halving> halving_rounds(int v, int count, Nearest nearest);

/// Reduce-scatter by recursive halving; `bytes(first, last)` gives the size of a range.
template <class Bytes>
void halve(std::span<const Halving> rounds, const Fold& fold, Bytes bytes, Steps& steps) {
  for (const Halving& r : rounds) {
    const int partner = fold.rank_of(r.partner);
    const std::uint64_t kept = bytes(r.kept_first, r.kept_last);
    steps.exchange(partner, bytes(r.given_first, r.given_last), partner, kept);
    steps.reduce(kept);
  }
}

/// The allgather that reverses halve().
template <class Bytes>
void unhalve(std::span<const Halving> rounds, const Fold& fold, Bytes bytes, Steps& steps) {
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    const Halving& r = *round;
    const int partner = fold.rank_of(r.partner);
    steps.exchange(partner, bytes(r.kept_first, r.kept_last), partner,
                   bytes(r.given_first, r.given_last));
  }
}

}  // namespace latitude::graph::collectives
