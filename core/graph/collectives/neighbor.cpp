#include <string>

#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"

namespace latitude::graph::collectives {
namespace neighbor {
namespace {

/// Bytes for each neighbour in one direction.
class Sizes {
 public:
  Sizes(const Collective& c, std::span<const std::int64_t> neighbors,
        std::span<const std::int64_t> listed)
      : bytes_(c.bytes),
        listed_(listed),
        varied_(c.call != trace::Call::Neighbor_allgather &&
                c.call != trace::Call::Neighbor_alltoall) {
    if (varied_ && listed.size() != neighbors.size()) {
      refuse(c, "the trace has " + std::to_string(listed.size()) + " counts for " +
                    std::to_string(neighbors.size()) +
                    " neighbours; trace the program again with latitude trace");
    }
    for (const std::int64_t peer : neighbors) {
      if (peer >= c.size)
        refuse(c, "neighbour " + std::to_string(peer) + " is not one of its " +
                      std::to_string(c.size) + " ranks");
    }
    for (const std::int64_t bytes : listed)
      if (bytes < 0) refuse(c, "one of the counts is " + std::to_string(bytes) + " bytes");
  }
  std::uint64_t operator[](std::size_t i) const {
    return varied_ ? static_cast<std::uint64_t>(listed_[i]) : bytes_;
  }

 private:
  std::uint64_t bytes_;
  std::span<const std::int64_t> listed_;
  bool varied_;
};

/// All messages go at once; the end of a non-periodic grid (MPI_PROC_NULL) and the rank itself need
/// no message.
void linear(const Collective& c, Steps& steps) {
  const Sizes to(c, c.destinations, c.send_bytes);
  const Sizes from(c, c.sources, c.recv_bytes);
  bool posted = false;
  const auto is_other = [&](std::int64_t peer) { return peer >= 0 && peer != c.rank; };
  // Last source first: in a periodic grid two ranks wide both neighbours are one rank, and its
  // message to the left is the one that this rank receives from the right (as in MPICH).
  for (std::size_t i = c.sources.size(); i-- > 0;) {
    if (!is_other(c.sources[i])) continue;
    steps.irecv(static_cast<int>(c.sources[i]), from[i]);
    posted = true;
  }
  for (std::size_t i = 0; i < c.destinations.size(); ++i) {
    if (!is_other(c.destinations[i])) continue;
    steps.isend(static_cast<int>(c.destinations[i]), to[i]);
    posted = true;
  }
  if (posted) steps.wait();
}

constexpr NamedAlgorithm kAlgorithms[] = {{"linear", linear}};

}  // namespace
}  // namespace neighbor

std::span<const NamedAlgorithm> neighbor_algorithms() { return neighbor::kAlgorithms; }

}  // namespace latitude::graph::collectives
