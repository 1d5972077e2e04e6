#pragma once

#include <algorithm>
#include <cstdint>

#include "core/graph/nccl/collective.hpp"

/// Parts that several algorithms are made of, and what each file offers.
namespace latitude::graph::nccl {

/// How a protocol cuts the data of a channel: into chunks of so many bytes, each into slices. Each
/// slice is one message, and takes `steps` slots of the buffer, however little data it has.
struct Cut {
  std::uint64_t chunk = 1;
  std::uint64_t slice = 1;   ///< the largest
  std::uint32_t slices = 1;  ///< of a chunk
  std::uint32_t steps = 1;
};

/// Ring Simple moves chunks of four slots in slices of two where `pipelined`; all else moves slots.
Cut cut_of(Protocol protocol, bool pipelined = false);
/// The chunks of LL128 trees shrink until there are enough of them to fill the tree.
Cut tree_cut(const Collective& collective);

/// Data are cut at multiples of so many bytes.
inline constexpr std::uint64_t kGrain = 16;

inline std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
inline std::uint64_t aligned_up(std::uint64_t a) { return divided_up(a, kGrain) * kGrain; }

/// What one channel moves of so many bytes, which all channels share evenly.
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
