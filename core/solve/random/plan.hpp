#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/solve/random/builder.hpp"

namespace latitude::solve {

/// A RandomDag made ready for sampling. Draws stand apart from the steps that use them, chunk by
/// chunk: a chunk's draws fill rows of a small buffer, one row an edge, in one tight loop; then its
/// steps read rows and values in another.
class RandomPlan {
 public:
  /// value[to] = max over i of value[from[i]] + constant[i] + row[row_of[i]]. 32 bytes.
  struct Step {
    std::uint32_t from[2];
    std::uint32_t to;
    std::uint16_t row[2];  ///< kNoRow where nothing is drawn
    double constant[2];
  };
  static_assert(sizeof(Step) == 32);
  static constexpr std::uint16_t kNoRow = 0;  ///< holds zeros
  static constexpr std::size_t kRows = 128;   ///< of a chunk

  struct Chunk {
    std::size_t first_step, steps;
    std::size_t first_draw, draws;
  };

  /// Keys of draws are mixed; two bits say what is not random.
  static constexpr std::uint64_t kLast = 1;   ///< the last draw of its row
  static constexpr std::uint64_t kNoise = 2;  ///< a factor from the second table

  explicit RandomPlan(const RandomDag& dag);

  std::vector<Chunk> chunks;
  std::vector<Step> steps;
  std::vector<std::uint64_t> keys;        ///< of draws, in the order of their rows
  std::vector<double> coefficients;       ///< of draws; empty when all are 1
  std::vector<graph::VertexId> vertices;  ///< of draws: receive of the message, or the calc
  std::size_t slots = 1;
  std::uint32_t result_slot = 0;

  std::size_t memory_bytes() const noexcept;
};

}  // namespace latitude::solve
