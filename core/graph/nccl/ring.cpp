#include "core/graph/nccl/pieces.hpp"

/// Rings: each rank receives from the rank before and sends to the rank after it. The loops are
/// those in the comments of NCCL's device code (all_reduce.h and its neighbours, 2.30.7).
namespace latitude::graph::nccl {
namespace {

/// The lane of one rank, and its neighbours in the ring.
class Ring {
 public:
  Ring(const Collective& c, std::uint32_t rank, std::uint32_t channel, const Cut& cut)
      : lane_{.rank = rank, .channel = channel},
        previous_(static_cast<std::int32_t>((rank + c.ranks - 1) % c.ranks)),
        next_(static_cast<std::int32_t>((rank + 1) % c.ranks)),
        cut_(cut) {}

  void send(std::uint64_t bytes) { add(kNoPeer, next_, bytes, false); }
  void receive(std::uint64_t bytes) { add(previous_, kNoPeer, bytes, false); }
  void receive_combine(std::uint64_t bytes) { add(previous_, kNoPeer, bytes, true); }
  void receive_send(std::uint64_t bytes) { add(previous_, next_, bytes, false); }
  void receive_combine_send(std::uint64_t bytes) { add(previous_, next_, bytes, true); }
  Lane done() { return std::move(lane_); }

 private:
  void add(std::int32_t from, std::int32_t to, std::uint64_t bytes, bool combines) {
    lane_.add({.from = {from, kNoPeer, kNoPeer},
               .to = {to, kNoPeer, kNoPeer},
               .bytes = bytes,
               .combines = combines},
              cut_);
  }

  Lane lane_;
  std::int32_t previous_;
  std::int32_t next_;
  Cut cut_;
};

/// The chunk that a rank handles `back` steps after its own; `bytes` are cut into chunks of `size`.
std::uint64_t chunk_of(const Collective& c, std::uint32_t rank, std::uint32_t back,
                       std::uint64_t size, std::uint64_t bytes) {
  const std::uint64_t begin = size * ((rank + c.ranks - back) % c.ranks);
  return begin < bytes ? std::min(size, bytes - begin) : 0;
}

void ring_all_reduce(const Collective& c, std::uint32_t rank, std::uint32_t channel,
                     std::vector<Lane>& lanes) {
  const Cut cut = cut_of(c.protocol, true);
  Ring ring(c, rank, channel, cut);
  for_each_chunk(
      share_of(c.bytes, channel, c.channels), cut.chunk * c.ranks, [&](std::uint64_t bytes) {
        const std::uint64_t size = std::min(cut.chunk, aligned_up(divided_up(bytes, c.ranks)));
        const auto chunk = [&](std::uint32_t back) { return chunk_of(c, rank, back, size, bytes); };
        ring.send(chunk(1));
        for (std::uint32_t back = 2; back <= c.ranks; ++back)
          ring.receive_combine_send(chunk(back));
        for (std::uint32_t back = 1; back + 1 < c.ranks; ++back) ring.receive_send(chunk(back));
        ring.receive(chunk(c.ranks - 1));
      });
  lanes.push_back(ring.done());
}

/// The bytes of each rank's block that a channel moves.
std::uint64_t block_share(const Collective& c, std::uint32_t channel) {
  return share_of(divided_up(c.bytes, c.ranks), channel, c.channels);
}

void all_gather(const Collective& c, std::uint32_t rank, std::uint32_t channel,
                std::vector<Lane>& lanes) {
  const Cut cut = cut_of(c.protocol, true);
  Ring ring(c, rank, channel, cut);
  for_each_chunk(block_share(c, channel), cut.chunk, [&](std::uint64_t bytes) {
    ring.send(bytes);
    for (std::uint32_t step = 2; step < c.ranks; ++step) ring.receive_send(bytes);
    ring.receive(bytes);
  });
  lanes.push_back(ring.done());
}

void reduce_scatter(const Collective& c, std::uint32_t rank, std::uint32_t channel,
                    std::vector<Lane>& lanes) {
  const Cut cut = cut_of(c.protocol, true);
  Ring ring(c, rank, channel, cut);
  for_each_chunk(block_share(c, channel), cut.chunk, [&](std::uint64_t bytes) {
    ring.send(bytes);
    for (std::uint32_t step = 2; step < c.ranks; ++step) ring.receive_combine_send(bytes);
    ring.receive_combine(bytes);
  });
  lanes.push_back(ring.done());
}

/// Data go from the root once around the ring.
void broadcast(const Collective& c, std::uint32_t rank, std::uint32_t channel,
               std::vector<Lane>& lanes) {
  const Cut cut = cut_of(c.protocol);
  Ring ring(c, rank, channel, cut);
  for_each_chunk(share_of(c.bytes, channel, c.channels), cut.chunk, [&](std::uint64_t bytes) {
    if (rank == c.root) {
      ring.send(bytes);
    } else if ((rank + 1) % c.ranks == c.root) {
      ring.receive(bytes);
    } else {
      ring.receive_send(bytes);
    }
  });
  lanes.push_back(ring.done());
}

/// Data go from the rank after the root around the ring to the root.
void reduce(const Collective& c, std::uint32_t rank, std::uint32_t channel,
            std::vector<Lane>& lanes) {
  const Cut cut = cut_of(c.protocol);
  Ring ring(c, rank, channel, cut);
  for_each_chunk(share_of(c.bytes, channel, c.channels), cut.chunk, [&](std::uint64_t bytes) {
    if (rank == c.root) {
      ring.receive_combine(bytes);
    } else if (rank == (c.root + 1) % c.ranks) {
      ring.send(bytes);
    } else {
      ring.receive_combine_send(bytes);
    }
  });
  lanes.push_back(ring.done());
}

}  // namespace

constinit const NamedAlgorithm kRingAllReduce{"ring", ring_all_reduce};
constinit const NamedAlgorithm kRingAllGather{"ring", all_gather};
constinit const NamedAlgorithm kRingReduceScatter{"ring", reduce_scatter};
constinit const NamedAlgorithm kRingBroadcast{"ring", broadcast};
constinit const NamedAlgorithm kRingReduce{"ring", reduce};

}  // namespace latitude::graph::nccl
