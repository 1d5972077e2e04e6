#include "core/graph/collectives/pieces.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace latitude::graph::collectives {

void refuse(const Collective& c, const std::string& problem) {
  throw InputError(std::string(trace::name_of(c.call)) + " on rank " + std::to_string(c.rank) +
                   " of its communicator: " + problem);
}

Blocks listed_blocks(const Collective& c, std::span<const std::int64_t> bytes,
                     std::string_view what) {
  if (bytes.size() != static_cast<std::size_t>(c.size)) {
    refuse(c, "the trace has " + std::to_string(bytes.size()) + " " + std::string(what) + " for " +
                  std::to_string(c.size) + " ranks; trace the program again with latitude trace");
  }
  for (const std::int64_t b : bytes)
    if (b < 0) refuse(c, "one of the " + std::string(what) + " is " + std::to_string(b) + " bytes");
  return Blocks::listed(bytes);
}

Blocks member_blocks(const Collective& c) {
  if (c.call == trace::Call::Allgatherv || c.call == trace::Call::Reduce_scatter)
    return listed_blocks(c, c.recv_bytes, "recvcounts");
  return Blocks::equal(c.bytes, c.size);
}

void ring_allgather(int rank, Order order, const Blocks& blocks, Steps& steps) {
  const int size = order.size;
  const int index = order.index_of(rank);
  const int next = order.rank_at(shifted(index, 1, size));
  const int previous = order.rank_at(shifted(index, -1, size));
  for (int round = 0; round + 1 < size; ++round) {
    steps.exchange(next, blocks[shifted(index, -round, size)], previous,
                   blocks[shifted(index, -round - 1, size)]);
  }
}

void ring_reduce_scatter(int rank, Order order, const Blocks& blocks, Steps& steps) {
  // Block b starts at index b+1 and goes around to b; the block received in the last round is the
  // rank's own.
  const int size = order.size;
  const int index = order.index_of(rank);
  const int next = order.rank_at(shifted(index, 1, size));
  const int previous = order.rank_at(shifted(index, -1, size));
  for (int round = 1; round < size; ++round) {
    const std::uint64_t received = blocks[shifted(shifted(index, -round, size), -1, size)];
    steps.exchange(next, blocks[shifted(index, -round, size)], previous, received);
    steps.reduce(received);
  }
}

void doubling_allgather(int rank, Order order, const Blocks& blocks, Steps& steps) {
  const Fold fold(order.size);
  const int index = order.index_of(rank);
  if (fold.paired(index)) {
    const int other = order.rank_at(fold.partner(index));
    if (fold.steps_aside(index)) {
      steps.send(other, blocks[index]);
      steps.recv(other, blocks.total());
      return;
    }
    steps.recv(other, blocks[fold.partner(index)]);
  }
  const int number = fold.number_of(index);
  const auto bytes = [&](int group, int width) {
    return blocks.range(fold.first_rank(group), fold.first_rank(group + width));
  };
  for (int mask = 1; mask < fold.count(); mask <<= 1) {
    const int mine = number & ~(mask - 1);
    const int other = order.rank_at(fold.rank_of(number ^ mask));
    steps.exchange(other, bytes(mine, mask), other, bytes(mine ^ mask, mask));
  }
  if (fold.paired(index)) steps.send(order.rank_at(fold.partner(index)), blocks.total());
}

namespace {

/// The width of index's binomial subtree in a full tree: its lowest set bit.
int subtree_width(int index, int size) {
  if (index != 0) return index & -index;
  return is_pow2(size) ? size : 2 * pow2_floor(size);
}

std::uint64_t subtree_bytes(int index, int width, const Blocks& blocks) {
  return blocks.range(index, std::min(index + width, blocks.count()));
}

}  // namespace

void binomial_scatter(int rank, Order order, const Blocks& blocks, Steps& steps) {
  const int index = order.index_of(rank);
  int width = subtree_width(index, order.size);
  if (index != 0) steps.recv(order.rank_at(index - width), subtree_bytes(index, width, blocks));
  bool sent = false;
  for (width /= 2; width > 0; width /= 2) {
    if (index + width >= order.size) continue;
    steps.isend(order.rank_at(index + width), subtree_bytes(index + width, width, blocks));
    sent = true;
  }
  if (sent) steps.wait();
}

void binomial_gather(int rank, Order order, const Blocks& blocks, Steps& steps) {
  const int index = order.index_of(rank);
  const int width = subtree_width(index, order.size);
  for (int child = 1; child < width && index + child < order.size; child *= 2)
    steps.recv(order.rank_at(index + child), subtree_bytes(index + child, child, blocks));
  if (index != 0) steps.send(order.rank_at(index - width), subtree_bytes(index, width, blocks));
}

bool fold_in(const Fold& fold, int rank, std::uint64_t bytes, Steps& steps) {
  if (!fold.paired(rank)) return true;
  if (fold.steps_aside(rank)) {
    steps.send(fold.partner(rank), bytes);
    return false;
  }
  steps.recv(fold.partner(rank), bytes);
  if (bytes > 0) steps.reduce(bytes);
  return true;
}

void fold_out(const Fold& fold, int rank, std::uint64_t bytes, Steps& steps) {
  if (!fold.paired(rank)) return;
  if (fold.steps_aside(rank)) {
    steps.recv(fold.partner(rank), bytes);
  } else {
    steps.send(fold.partner(rank), bytes);
  }
}

std::vector<Halving> halving_rounds(int v, int count, Nearest nearest) {
  std::vector<Halving> rounds;
  int first = 0;
  int last = count;
  const bool outward = nearest == Nearest::first;
  for (int mask = outward ? 1 : count / 2; mask > 0 && mask < count;
       mask = outward ? mask * 2 : mask / 2) {
    const int middle = (first + last) / 2;
    const int before_first = first;
    const int before_last = last;
    const bool upper = (v & mask) != 0;
    (upper ? first : last) = middle;
    rounds.push_back(
        {v ^ mask, first, last, upper ? before_first : middle, upper ? middle : before_last});
  }
  return rounds;
}

}  // namespace latitude::graph::collectives
