#pragma once

#include <algorithm>
#include <cstdint>

#include "core/graph/nccl/collective.hpp"

/// Parts that several algorithms share, and the algorithms of each file.
namespace latitude::graph::nccl {

/// The way in which a protocol cuts the data of a channel: into chunks of this many bytes, and each
/// chunk into slices. Each slice is one message, and takes `steps` slots of the buffer, even if it
/// has few data.
struct Cut {
  std::uint64_t chunk = 1;
  std::uint64_t slice = 1;   ///< bytes of the largest slice
  std::uint32_t slices = 1;  ///< number of slices of a chunk
  std::uint32_t steps = 1;
};

/// Ring Simple moves chunks of four slots in slices of two if `pipelined`; all other cases move
/// slots.
Cut cut_of(Protocol protocol, bool pipelined = false);
/// The chunks of LL128 trees shrink until their number suffices to fill the tree.
Cut tree_cut(const Collective& collective);

/// NCCL cuts data at multiples of this many bytes.
inline constexpr std::uint64_t kGrain = 16;

inline std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
inline std::uint64_t aligned_up(std::uint64_t a) { return divided_up(a, kGrain) * kGrain; }

/// The bytes that one channel moves, if all channels share `bytes` evenly.
inline std::uint64_t share_of(std::uint64_t bytes, std::uint32_t channel, std::uint32_t channels) {
  const std::uint64_t most = aligned_up(divided_up(bytes, channels));
  const std::uint64_t before = std::min(bytes, most * channel);
  return std::min(most, bytes - before);
}

/// Calls `chunk(bytes)` for each chunk of the data of a channel.
template <class Chunk>
void for_each_chunk(std::uint64_t bytes, std::uint64_t size, Chunk chunk) {
  for (std::uint64_t at = 0; at < bytes; at += size) chunk(std::min(size, bytes - at));
}

extern const NamedAlgorithm kRingAllReduce, kRingAllGather, kRingReduceScatter, kRingBroadcast,
    kRingReduce;
extern const NamedAlgorithm kTreeAllReduce;
extern const NamedAlgorithm kPatAllGather, kPatReduceScatter;
extern const NamedAlgorithm kPairwiseAllToAll, kPairwiseSendRecv, kPairwiseSend;

}  // namespace latitude::graph::nccl
