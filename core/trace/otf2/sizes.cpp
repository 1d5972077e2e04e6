#include "core/trace/otf2/sizes.hpp"

#include <numeric>
#include <span>

namespace latitude::trace::otf2 {
namespace {

constexpr std::uint64_t kElement = 4;  // most elements are multiples of this number of bytes

/// One of `parts` equal parts of a sum; if the operation was in place, of one part less.
std::uint64_t part(std::uint64_t sum, std::uint64_t parts) {
  if (parts < 2) return sum;
  const bool all = sum % parts == 0;
  const bool others = sum % (parts - 1) == 0;
  const bool odd = all && sum / parts % kElement != 0 && sum / (parts - 1) % kElement == 0;
  return others && (!all || odd) ? sum / (parts - 1) : sum / parts;
}

/// The vector of a prefix reduction, which is sent to `followers` and received from `leaders`.
std::uint64_t vector(std::uint64_t sent, std::uint64_t followers, std::uint64_t received,
                     std::uint64_t leaders) {
  if (followers > 0 && sent > 0) return sent / followers;
  return leaders > 0 ? received / leaders : 0;
}

std::uint64_t sum(std::span<const std::int64_t> bytes) {
  return static_cast<std::uint64_t>(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}));
}

}  // namespace

Sums sums_of(Call blocking, const CollectiveArgs& args, bool in_place, std::uint64_t rank,
             std::uint64_t size) {
  const std::uint64_t n = args.bytes;
  const bool root = has_root(blocking) && static_cast<std::uint64_t>(args.root) == rank;
  const std::uint64_t parts = size - (in_place ? 1 : 0);
  const std::uint64_t own =
      root && in_place ? 0 : n;  // own bytes that move, in an operation with a root
  const auto others = [&](std::span<const std::int64_t> bytes) {
    const bool less = in_place && rank < bytes.size();
    return sum(bytes) - (less ? static_cast<std::uint64_t>(bytes[rank]) : 0);
  };
  switch (blocking) {
    case Call::Bcast:
      return {root ? size * n : 0, n};
    case Call::Reduce:
    case Call::Gather:
      return {own, root ? parts * n : 0};
    case Call::Scatter:
      return {root ? parts * n : 0, own};
    case Call::Gatherv:
      return {own, root ? others(args.lists.from_each) : 0};
    case Call::Scatterv:
      return {root ? others(args.lists.to_each) : 0, own};
    case Call::Allreduce:
    case Call::Allgather:
    case Call::Alltoall:
    case Call::Reduce_scatter_block:
      return {parts * n, parts * n};
    case Call::Allgatherv:
      return {parts * n, others(args.lists.from_each)};
    case Call::Reduce_scatter:
      return {others(args.lists.from_each), parts * n};
    case Call::Scan:
      return {(size - rank) * n, (rank + 1) * n};
    case Call::Exscan:
      return {(size - rank - 1) * n, rank * n};
    case Call::Alltoallv:
    case Call::Alltoallw:
    case Call::Neighbor_allgatherv:
    case Call::Neighbor_alltoallv:
    case Call::Neighbor_alltoallw:
      return {sum(args.lists.to_each), sum(args.lists.from_each)};
    case Call::Neighbor_allgather:
    case Call::Neighbor_alltoall:
      return {n * args.lists.destinations.size(), n * args.lists.sources.size()};
    default:
      return {0, 0};
  }
}

Sizes sizes_of(Call blocking, std::uint64_t sent, std::uint64_t received, bool root,
               std::uint64_t rank, std::uint64_t size) {
  switch (blocking) {
    case Call::Bcast:
      return {root ? (received > 0 ? received : part(sent, size)) : 0, received};
    case Call::Reduce:
      return {sent, root && sent == 0 ? part(received, size) : sent};
    case Call::Allreduce:
    case Call::Allgather:
    case Call::Alltoall:
    case Call::Reduce_scatter_block: {
      const std::uint64_t bytes = part(sent, size);
      return {bytes, bytes};
    }
    case Call::Allgatherv:
      return {part(sent, size), received};
    case Call::Reduce_scatter:
      return {sent, part(received, size)};
    case Call::Scan: {
      const std::uint64_t bytes = vector(sent, size - rank, received, rank + 1);
      return {bytes, bytes};
    }
    case Call::Exscan: {
      const std::uint64_t bytes = vector(sent, size - rank - 1, received, rank);
      return {bytes, bytes};
    }
    default:
      return {sent, received};
  }
}

}  // namespace latitude::trace::otf2
