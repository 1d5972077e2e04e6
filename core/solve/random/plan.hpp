#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/solve/random/builder.hpp"
#include "core/solve/random/numbers.hpp"

namespace latitude::solve {

/// A RandomDag prepared for sampling: one draw per step, so that keys and steps have the same
/// order.
struct RandomPlan {
  /// value[to] = max(value[from[0]] + constant[0], value[from[1]] + constant[1] + weight · draw).
  struct Step {
    std::uint32_t from[2];
    std::uint32_t to;
    std::uint32_t table;  ///< start of the step's table: kLatency, kNoise or kNothing
    double constant[2];
  };
  static_assert(sizeof(Step) == 32);

  /// The tables are one behind the other; the last one holds zeros.
  static constexpr std::uint32_t kLatency = 0;
  static constexpr std::uint32_t kNoise = kTableSize;
  static constexpr std::uint32_t kNothing = 2 * kTableSize;

  /// Number of steps whose draws are made together; the keys are padded to a multiple of this
  /// number.
  static constexpr std::size_t kChunk = 64;

  explicit RandomPlan(const RandomDag& dag);

  std::vector<Step> steps;
  std::vector<double> weights;            ///< weight of each step's draw; empty if all are 1
  std::vector<std::uint64_t> keys;        ///< key of each step's draw, mixed
  std::vector<graph::VertexId> messages;  ///< the message whose latency a step draws, or kNoVertex
  std::size_t slots = 1;
  std::uint32_t result_slot = 0;

  std::size_t draws() const noexcept;
  std::size_t memory_bytes() const noexcept;
};

}  // namespace latitude::solve
