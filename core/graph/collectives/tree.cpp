#include "core/graph/collectives/tree.hpp"

#include <algorithm>

#include "core/graph/collectives/ranks.hpp"

namespace latitude::graph::collectives {

Tree knomial_tree(int rank, int root, int size, int radix) {
  const Order order{root, size};
  const int index = order.index_of(rank);
  Tree tree;
  std::int64_t width = 1;  // width of this rank's subtree in a full tree
  while (width < size && index % (width * radix) == 0) width *= radix;
  if (index != 0) {
    const std::int64_t parent = index - index % (width * radix);
    tree.parent = order.rank_at(static_cast<int>(parent));
  }
  for (std::int64_t step = width / radix; step > 0; step /= radix) {
    for (int digit = 1; digit < radix && index + step * digit < size; ++digit)
      tree.children.push_back(order.rank_at(static_cast<int>(index + step * digit)));
  }
  return tree;
}

Tree binary_tree(int rank, int root, int size) {
  // Level l holds the indices 2^l-1 … 2^(l+1)-2; index i there has the children i+2^l and
  // i+2·2^l: the numbering of Open MPI's coll_base_topo.c, so that neighbours are the same too.
  const Order order{root, size};
  const int index = order.index_of(rank);
  const int width = pow2_floor(index + 1);
  Tree tree;
  if (index > 0) {
    const int above = width / 2;
    tree.parent = order.rank_at((index - (width - 1)) % above + above - 1);
  }
  for (const int child : {index + width, index + 2 * width})
    if (child < size) tree.children.push_back(order.rank_at(child));
  return tree;
}

Tree in_order_binary_tree(int rank, int size) {
  Tree tree;
  int first = 0;
  int last = size - 1;  // the root of the subtree [first, last]
  while (rank != last) {
    const int right = (last - first + 1) / 2;
    tree.parent = last;
    // The root is taken out; the rest divides into [first, first+right) and [first+right, last).
    // The only child of a pair is the latter range.
    if (last - first >= 2 && rank < first + right) {
      last = first + right - 1;
    } else {
      first = std::min(first + right, last - 1);
      last = last - 1;
    }
  }
  if (last > first) tree.children.push_back(last - 1);
  if (last - first >= 2) tree.children.push_back(first + (last - first + 1) / 2 - 1);
  return tree;
}

void send_down(const Tree& tree, std::uint64_t bytes, Steps& steps) {
  if (tree.parent >= 0) steps.recv(tree.parent, bytes);
  for (const int child : tree.children) steps.isend(child, bytes);
  if (!tree.children.empty()) steps.wait();
}

void reduce_up(const Tree& tree, std::uint64_t bytes, Steps& steps) {
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child) {
    steps.recv(*child, bytes);
    steps.reduce(bytes);
  }
  if (tree.parent >= 0) steps.send(tree.parent, bytes);
}

void relay(int from, int to, std::uint64_t bytes, std::uint64_t segment, bool combine,
           Steps& steps) {
  const std::uint64_t count = std::max<std::uint64_t>(1, (bytes + segment - 1) / segment);
  const auto piece = [&](std::uint64_t i) { return std::min(segment, bytes - i * segment); };
  const bool receives = from >= 0;
  const bool sends = to >= 0;
  if (receives) steps.irecv(from, piece(0));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (receives) {
      steps.wait();  // this piece, and the sending of the previous one
      if (i + 1 < count) steps.irecv(from, piece(i + 1));
      if (combine) steps.reduce(piece(i));
    }
    if (sends) steps.isend(to, piece(i));
    if (sends && !receives) steps.wait();
  }
  if (receives && sends) steps.wait();
}

std::uint64_t segment_for(std::uint64_t element) {
  if (element == 0 || element > kSegmentBytes) return kSegmentBytes;
  return kSegmentBytes - kSegmentBytes % element;
}

}  // namespace latitude::graph::collectives
