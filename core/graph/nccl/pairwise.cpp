#include <utility>

#include "core/error.hpp"
#include "core/graph/nccl/pieces.hpp"

/// Point to point: a rank sends and receives at the same time, by two groups of threads per
/// channel.
namespace latitude::graph::nccl {
namespace {

constexpr std::uint64_t kChunkInNode = std::uint64_t{512} << 10;
constexpr std::uint64_t kChunkOnNetwork = std::uint64_t{128} << 10;

Cut cut_of_pairs(const Collective& c) {
  if (c.protocol == Protocol::ll128) {
    throw InputError("NCCL sends point to point by LL or Simple, not by LL128");
  }
  Cut cut = cut_of(c.protocol);
  if (c.protocol == Protocol::simple) {
    cut.chunk = cut.slice = c.ranks > c.ranks_per_node ? kChunkOnNetwork : kChunkInNode;
  }
  return cut;
}

/// The two lanes of a rank in a channel.
class Pairs {
 public:
  Pairs(const Collective& c, std::uint32_t rank, std::uint32_t channel)
      : sends_{.rank = rank, .channel = channel},
        receives_{.rank = rank, .channel = channel},
        cut_(cut_of_pairs(c)) {}

  void send(std::uint32_t to, std::uint64_t data) {
    for_each_chunk(data, cut_.chunk, [&](std::uint64_t bytes) {
      const auto peer = static_cast<std::int32_t>(to);
      sends_.add({.to = {peer, kNoPeer, kNoPeer}, .bytes = bytes}, cut_);
    });
  }
  void receive(std::uint32_t from, std::uint64_t data) {
    for_each_chunk(data, cut_.chunk, [&](std::uint64_t bytes) {
      const auto peer = static_cast<std::int32_t>(from);
      receives_.add({.from = {peer, kNoPeer, kNoPeer}, .bytes = bytes}, cut_);
    });
  }
  void done(std::vector<Lane>& lanes) {
    for (Lane* lane : {&sends_, &receives_}) {
      if (!lane->primitives.empty()) lanes.push_back(std::move(*lane));
    }
  }

 private:
  Lane sends_;
  Lane receives_;
  Cut cut_;
};

/// In round r each rank sends to the rank r places after it; rounds take turns on the channels.
void all_to_all(const Collective& c, std::uint32_t rank, std::uint32_t channel,
                std::vector<Lane>& lanes) {
  const std::uint64_t block = divided_up(c.bytes, c.ranks);
  Pairs pairs(c, rank, channel);
  for (std::uint32_t round = 1; round < c.ranks; ++round) {
    if (round % c.channels != channel) continue;
    pairs.send((rank + round) % c.ranks, block);
    pairs.receive((rank + c.ranks - round) % c.ranks, block);
  }
  pairs.done(lanes);
}

void send_recv(const Collective& c, std::uint32_t rank, std::uint32_t channel,
               std::vector<Lane>& lanes) {
  const std::uint64_t share = share_of(c.bytes, channel, c.channels);
  Pairs pairs(c, rank, channel);
  pairs.send((rank + 1) % c.ranks, share);
  pairs.receive((rank + c.ranks - 1) % c.ranks, share);
  pairs.done(lanes);
}

void send(const Collective& c, std::uint32_t rank, std::uint32_t channel,
          std::vector<Lane>& lanes) {
  const std::uint64_t share = share_of(c.bytes, channel, c.channels);
  Pairs pairs(c, rank, channel);
  if (rank == 0) pairs.send(1, share);
  if (rank == 1) pairs.receive(0, share);
  pairs.done(lanes);
}

}  // namespace

const NamedAlgorithm kPairwiseAllToAll{"pairwise", all_to_all};
const NamedAlgorithm kPairwiseSendRecv{"pairwise", send_recv};
const NamedAlgorithm kPairwiseSend{"pairwise", send};

}  // namespace latitude::graph::nccl
