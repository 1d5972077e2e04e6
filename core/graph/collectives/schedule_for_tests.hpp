#pragma once

#include <bitset>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "core/graph/collectives/collective.hpp"

namespace latitude::graph::test {

/// A collective of a whole communicator: every member's view, with its storage.
class World {
 public:
  struct Shape {
    trace::Call call;
    int size = 1;
    int root = 0;
    std::uint64_t bytes = 0;
    std::uint64_t element = 8;
    bool commutative = true;
  };
  /// v-variants: blocks of 0…4 times `bytes`, different for each rank (for each pair in
  /// Alltoallv/w). Neighbour collectives: a periodic line if `periodic`, else an open one.
  explicit World(Shape shape, bool periodic = true);

  const Shape& shape() const { return shape_; }
  const std::vector<Collective>& members() const { return members_; }
  /// Bytes that rank `to` gets and that came from rank `from` (0 for reductions with themselves).
  std::uint64_t flow(int from, int to) const;
  std::uint64_t block(int rank) const;

 private:
  std::span<const std::int64_t> keep(std::vector<std::int64_t> values);
  bool varied() const;
  Shape shape_;
  std::vector<Collective> members_;
  std::list<std::vector<std::int64_t>> storage_;
};

inline constexpr std::size_t kMaxRanks = 512;

struct Member {
  std::bitset<kMaxRanks> knows;  ///< ranks whose contributions could have reached this rank
  /// The ranks whose operands are in the result, if all of its data are a sum over the same ranks.
  /// The next `reduce` combines a received message; without one, the message replaces the result.
  std::bitset<kMaxRanks> summed;
  std::uint64_t messages = 0;  ///< sent
  std::uint64_t sent = 0;      ///< bytes
  std::uint64_t received = 0;
  std::uint64_t combined = 0;
  std::uint64_t depth = 0;  ///< messages on the longest chain that ends here
};

struct Outcome {
  std::vector<Member> members;
  std::string problem;        ///< empty if every message matched and every member ended
  std::string counted_twice;  ///< a combination of two sums that have ranks in common
  std::string out_of_order;   ///< a sent sum was not over consecutive ranks
  std::uint64_t messages() const;
  std::uint64_t sent() const;
  std::uint64_t combined() const;
  std::uint64_t rounds() const;
};

/// Runs all parts with synchronous sends: a blocking send returns when its receive is posted.
Outcome play(const std::vector<std::vector<Step>>& parts);
Outcome play(const World& world, Algorithm algorithm);

}  // namespace latitude::graph::test
