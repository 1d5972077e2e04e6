#include "core/trace/synthetic/program.hpp"

#include <string>

#include "core/error.hpp"

namespace latitude::trace::synthetic {
namespace {

constexpr std::uint64_t kReduced = 8;  // a double
constexpr int kReductions = 2;
constexpr std::int64_t kForwards = 0, kBackwards = 1;  // tags

void exchange(Step& step, const Program& program, std::uint32_t rank) {
  const std::int64_t left = (rank + program.ranks - 1) % program.ranks;
  const std::int64_t right = (rank + 1) % program.ranks;
  step.operations = {
      {Call::irecv, program.compute_ns, left, kForwards, program.bytes, 1},
      {Call::irecv, 0, right, kBackwards, program.bytes, 1},
      {Call::isend, 0, right, kForwards, program.bytes, 1},
      {Call::isend, 0, left, kBackwards, program.bytes, 1},
      {.call = Call::waitall, .requests = 4},
  };
}

void sweep(Step& step, const Program& program, std::uint32_t rank) {
  const auto [columns, rows] = grid_of(program.ranks);
  const std::uint32_t column = rank % columns, row = rank / columns;
  const std::int64_t here = rank, further = columns;
  const auto add = [&](bool there, Call call, std::int64_t peer, std::int64_t tag) {
    if (!there) return;
    step.operations.push_back({.call = call, .peer = peer, .tag = tag, .bytes = program.bytes});
  };
  add(column > 0, Call::recv, here - 1, kForwards);
  add(row > 0, Call::recv, here - further, kBackwards);
  const std::size_t computes = step.operations.size();
  add(column + 1 < columns, Call::send, here + 1, kForwards);
  add(row + 1 < rows, Call::send, here + further, kBackwards);
  if (computes < step.operations.size()) {
    step.operations[computes].gap_ns = program.compute_ns;
  } else {
    step.rest_ns = program.compute_ns;
  }
}

}  // namespace

Pattern pattern_named(std::string_view name) {
  if (name == "halo") return Pattern::halo;
  if (name == "wavefront") return Pattern::wavefront;
  if (name == "cg") return Pattern::cg;
  throw InputError("unknown pattern '" + std::string(name) + "'; take halo, wavefront or cg");
}

Step step_of(const Program& program, std::uint32_t rank) {
  Step step;
  if (program.pattern == Pattern::wavefront) {
    sweep(step, program, rank);
    return step;
  }
  exchange(step, program, rank);
  if (program.pattern == Pattern::cg) {
    for (int i = 0; i < kReductions; ++i) {
      step.operations.push_back({.call = Call::allreduce, .bytes = kReduced});
    }
  }
  return step;
}

Grid grid_of(std::uint32_t ranks) {
  std::uint32_t rows = 1;
  for (std::uint32_t n = 2; std::uint64_t{n} * n <= ranks; ++n) {
    if (ranks % n == 0) rows = n;
  }
  return {ranks / rows, rows};
}

std::uint64_t calls_per_step(Pattern pattern, std::uint32_t ranks) {
  if (pattern == Pattern::wavefront) {
    const auto [columns, rows] = grid_of(ranks);
    return 2 * (std::uint64_t{columns - 1} * rows + std::uint64_t{rows - 1} * columns);
  }
  const Program program{pattern, ranks, 1, 0, 0};
  return step_of(program, 0).operations.size() * ranks;
}

}  // namespace latitude::trace::synthetic
