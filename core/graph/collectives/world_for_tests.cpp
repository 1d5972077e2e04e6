#include "core/graph/collectives/schedule_for_tests.hpp"

namespace latitude::graph::test {

using trace::Call;

World::World(Shape shape, bool periodic) : shape_(shape) {
  const int p = shape.size;
  for (int rank = 0; rank < p; ++rank) {
    Collective c;
    c.call = shape.call;
    c.rank = rank;
    c.size = p;
    c.root = shape.root;
    c.bytes = varied() ? block(rank) : shape.bytes;
    c.element = shape.element;
    c.commutative = shape.commutative;
    std::vector<std::int64_t> blocks;
    std::vector<std::int64_t> to;
    std::vector<std::int64_t> from;
    for (int i = 0; i < p; ++i) {
      blocks.push_back(static_cast<std::int64_t>(block(i)));
      to.push_back(static_cast<std::int64_t>(flow(rank, i)));
      from.push_back(static_cast<std::int64_t>(flow(i, rank)));
    }
    switch (shape.call) {
      case Call::Allgatherv:
      case Call::Reduce_scatter:
        c.recv_bytes = keep(blocks);
        break;
      case Call::Gatherv:
        if (rank == shape.root) c.recv_bytes = keep(blocks);
        break;
      case Call::Scatterv:
        if (rank == shape.root) c.send_bytes = keep(blocks);
        break;
      case Call::Alltoallv:
      case Call::Alltoallw:
        c.send_bytes = keep(to);
        c.recv_bytes = keep(from);
        break;
      case Call::Neighbor_allgather:
      case Call::Neighbor_allgatherv:
      case Call::Neighbor_alltoall:
      case Call::Neighbor_alltoallv:
      case Call::Neighbor_alltoallw: {
        std::vector<std::int64_t> line;
        std::vector<std::int64_t> sizes;
        for (const int next : {rank - 1, rank + 1}) {
          const bool off = next < 0 || next >= p;
          line.push_back(off && !periodic ? trace::kProcNull : (next + p) % p);
          sizes.push_back(static_cast<std::int64_t>(shape.bytes));
        }
        c.destinations = keep(line);
        c.sources = keep(line);
        c.send_bytes = keep(sizes);
        c.recv_bytes = keep(sizes);
        break;
      }
      default:
        break;
    }
    members_.push_back(c);
  }
}

std::span<const std::int64_t> World::keep(std::vector<std::int64_t> values) {
  return storage_.emplace_back(std::move(values));
}

bool World::varied() const {
  return shape_.call == Call::Gatherv || shape_.call == Call::Scatterv ||
         shape_.call == Call::Allgatherv || shape_.call == Call::Reduce_scatter;
}

std::uint64_t World::block(int rank) const {
  if (!varied()) return shape_.bytes;
  return shape_.bytes * static_cast<std::uint64_t>((rank * 7 + 3) % 5);
}

std::uint64_t World::flow(int from, int to) const {
  switch (shape_.call) {
    case Call::Alltoallv:
    case Call::Alltoallw:
      return shape_.bytes * static_cast<std::uint64_t>((from * 3 + to * 5) % 4);
    default:
      return from == to ? 0 : shape_.bytes;
  }
}

}  // namespace latitude::graph::test
