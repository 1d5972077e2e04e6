#include "core/solve/sweep.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.hpp"
#include "core/solve/lanes.hpp"

namespace latitude::solve {
namespace {

template <int K>
LATITUDE_INLINE void sweep(const Node* nodes, std::size_t count, const double* theta_in,
                           double* values) {
  double theta[K];
  std::memcpy(theta, theta_in, sizeof theta);
  for (int k = 0; k < K; ++k) values[k] = 0;
  double* out = values + K;
  for (std::size_t i = 0; i < count; ++i, out += K) {
    const Node& node = nodes[i];
    const double* a = values + std::size_t{node.from[0]} * K;
    const double* b = values + std::size_t{node.from[1]} * K;
    for (int k = 0; k < K; ++k) {
      const double x = a[k] + (node.constant[0] + node.slope[0] * theta[k]);
      const double y = b[k] + (node.constant[1] + node.slope[1] * theta[k]);
      out[k] = x > y ? x : y;
    }
  }
}

LATITUDE_EVERY_VECTOR_UNIT
void sweep1(const Node* n, std::size_t c, const double* t, double* v) { sweep<1>(n, c, t, v); }
LATITUDE_EVERY_VECTOR_UNIT
void sweep2(const Node* n, std::size_t c, const double* t, double* v) { sweep<2>(n, c, t, v); }
LATITUDE_EVERY_VECTOR_UNIT
void sweep4(const Node* n, std::size_t c, const double* t, double* v) { sweep<4>(n, c, t, v); }
LATITUDE_EVERY_VECTOR_UNIT
void sweep8(const Node* n, std::size_t c, const double* t, double* v) { sweep<8>(n, c, t, v); }
LATITUDE_EVERY_VECTOR_UNIT
void sweep16(const Node* n, std::size_t c, const double* t, double* v) { sweep<16>(n, c, t, v); }

using Sweep = void (*)(const Node*, std::size_t, const double*, double*);

Sweep sweep_for(int lanes) {
  switch (lanes) {
    case 1: return sweep1;
    case 2: return sweep2;
    case 4: return sweep4;
    case 8: return sweep8;
    case 16: return sweep16;
    default: throw InputError("lanes must be 1, 2, 4, 8 or 16");
  }
}

LATITUDE_EVERY_VECTOR_UNIT
void sweep_slopes(const Node* nodes, std::size_t count, const double* theta_in, double* values,
                  double* right) {
  constexpr int K = kLanes;
  double theta[K];
  std::memcpy(theta, theta_in, sizeof theta);
  for (int k = 0; k < K; ++k) values[k] = right[k] = 0;
  double* out = values + K;
  double* slope = right + K;
  for (std::size_t i = 0; i < count; ++i, out += K, slope += K) {
    const Node& node = nodes[i];
    const std::size_t from_a = std::size_t{node.from[0]} * K;
    const std::size_t from_b = std::size_t{node.from[1]} * K;
    for (int k = 0; k < K; ++k) {
      const double x = values[from_a + static_cast<std::size_t>(k)] +
                       (node.constant[0] + node.slope[0] * theta[k]);
      const double y = values[from_b + static_cast<std::size_t>(k)] +
                       (node.constant[1] + node.slope[1] * theta[k]);
      const double sx = right[from_a + static_cast<std::size_t>(k)] + node.slope[0];
      const double sy = right[from_b + static_cast<std::size_t>(k)] + node.slope[1];
      const double steeper = sx > sy ? sx : sy;
      out[k] = x > y ? x : y;
      slope[k] = x > y ? sx : (y > x ? sy : steeper);
    }
  }
}

}  // namespace

std::vector<double> runtimes(const AffineDag& dag, std::span<const double> theta, int lanes) {
  const Sweep run = sweep_for(lanes);
  const auto width = static_cast<std::size_t>(lanes);
  const Values values((dag.nodes.size() + 1) * width);
  std::vector<double> result(theta.size());
  for (std::size_t first = 0; first < theta.size(); first += width) {
    const std::size_t used = std::min(width, theta.size() - first);
    std::array<double, kMaxLanes> lane{};
    for (std::size_t k = 0; k < width; ++k) lane[k] = theta[first + std::min(k, used - 1)];
    run(dag.nodes.data(), dag.nodes.size(), lane.data(), values.data());
    const double* last = values.data() + std::size_t{dag.result.node} * width;
    for (std::size_t k = 0; k < used; ++k) {
      result[first + k] = last[k] + dag.result.weight.at(lane[k]);
    }
  }
  return result;
}

Slopes slopes(const AffineDag& dag, double theta) {
  std::vector<Slopes> at(dag.nodes.size() + 1);
  at[kOrigin] = {0, 0, 0};
  const auto step = [&](Ref ref) -> Slopes {
    const Slopes& from = at[ref.node];
    return {from.value + ref.weight.at(theta), from.left + ref.weight.slope,
            from.right + ref.weight.slope};
  };
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    const Slopes a = step(dag.nodes[i].edge(0));
    const Slopes b = step(dag.nodes[i].edge(1));
    if (a.value != b.value) {
      at[i + 1] = a.value > b.value ? a : b;
    } else {
      at[i + 1] = {a.value, std::min(a.left, b.left), std::max(a.right, b.right)};
    }
  }
  return step(dag.result);
}

Affine asymptote(const AffineDag& dag) {
  std::vector<Affine> at(dag.nodes.size() + 1);
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    const Ref first = dag.nodes[i].edge(0);
    const Ref second = dag.nodes[i].edge(1);
    const Affine a = at[first.node] + first.weight;
    const Affine b = at[second.node] + second.weight;
    const bool first_wins =
        a.slope != b.slope ? a.slope > b.slope : a.constant >= b.constant;
    at[i + 1] = first_wins ? a : b;
  }
  return at[dag.result.node] + dag.result.weight;
}

void forward(const AffineDag& dag, const double theta[kLanes], double* values) {
  sweep8(dag.nodes.data(), dag.nodes.size(), theta, values);
}

void forward_with_slopes(const AffineDag& dag, const double theta[kLanes], double* values,
                         double* right) {
  sweep_slopes(dag.nodes.data(), dag.nodes.size(), theta, values, right);
}

}  // namespace latitude::solve
