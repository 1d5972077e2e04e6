#include "core/solve/sweep_kernels.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace latitude::solve {
namespace {

using Step = SweepPlan::Step;

/// θ of K lanes in vectors of W, which stay in registers.
template <int K, int W>
struct Thetas {
  LATITUDE_INLINE explicit Thetas(const double* theta) noexcept {
    for (int n = 0; n < K / W; ++n) vector[n] = at<W>(theta + n * W);
  }
  Vector<W> vector[K / W];
};

/// A step may write the slot that it reads, because it reads each vector before storing it.
template <int K>
struct Runtime {
  template <int kWidest>
  LATITUDE_INLINE static void run(const Step* steps, std::size_t count, const double* theta_in,
                                  double* values) {
    constexpr int W = std::min(K, kWidest);
    const Thetas<K, W> theta(theta_in);
    for (std::size_t i = 0; i < count; ++i) {
      const Step& step = steps[i];
      const double* const a = values + std::size_t{step.from[0]} * K;
      const double* const b = values + std::size_t{step.from[1]} * K;
      double* const to = values + std::size_t{step.to} * K;
      for (int n = 0; n < K / W; ++n) {
        const Vector<W> here = theta.vector[n];
        const Vector<W> x = at<W>(a + n * W) + (step.constant[0] + step.slope[0] * here);
        const Vector<W> y = at<W>(b + n * W) + (step.constant[1] + step.slope[1] * here);
        at<W>(to + n * W) = x > y ? x : y;
      }
    }
  }
};

template <int K, Side side>
struct Slopes {
  template <int kWidest>
  LATITUDE_INLINE static void run(const Step* steps, std::size_t count, const double* theta_in,
                                  double* values) {
    constexpr int W = std::min(K, kWidest);
    const Thetas<K, W> theta(theta_in);
    for (std::size_t i = 0; i < count; ++i) {
      const Step& step = steps[i];
      const double* const a = values + std::size_t{step.from[0]} * (2 * K);
      const double* const b = values + std::size_t{step.from[1]} * (2 * K);
      double* const to = values + std::size_t{step.to} * (2 * K);
      for (int n = 0; n < K / W; ++n) {
        const Vector<W> here = theta.vector[n];
        const Vector<W> x = at<W>(a + n * W) + (step.constant[0] + step.slope[0] * here);
        const Vector<W> y = at<W>(b + n * W) + (step.constant[1] + step.slope[1] * here);
        const Vector<W> x_slope = at<W>(a + K + n * W) + step.slope[0];
        const Vector<W> y_slope = at<W>(b + K + n * W) + step.slope[1];
        const Vector<W> decided = x > y ? x_slope : y_slope;
        Vector<W> tied;
        if constexpr (side == Side::right) {
          tied = x_slope > y_slope ? x_slope : y_slope;
        } else {
          tied = x_slope < y_slope ? x_slope : y_slope;
        }
        at<W>(to + n * W) = x > y ? x : y;
        at<W>(to + K + n * W) = x == y ? tied : decided;
      }
    }
  }
};

template <class Kernel>
SweepKernel* compiled(Unit unit) {
  return compiled_for<Kernel, const Step*, std::size_t, const double*, double*>(unit);
}

/// The kernel for this number of lanes.
template <template <int> class Kernel>
SweepKernel* with_lanes(int lanes, Unit unit) {
  switch (lanes) {
    case 1:
      return compiled<Kernel<1>>(unit);
    case 2:
      return compiled<Kernel<2>>(unit);
    case 4:
      return compiled<Kernel<4>>(unit);
    case 8:
      return compiled<Kernel<8>>(unit);
    case kMaxLanes:
      return compiled<Kernel<kMaxLanes>>(unit);
    default:
      throw InputError("lanes must be 1 to 16");
  }
}

template <int K>
using RightSlopes = Slopes<K, Side::right>;
template <int K>
using LeftSlopes = Slopes<K, Side::left>;

}  // namespace

SweepKernel* runtime_kernel(int lanes, Unit unit) { return with_lanes<Runtime>(lanes, unit); }

SweepKernel* tangent_kernel(int lanes, Side side, Unit unit) {
  return side == Side::right ? with_lanes<RightSlopes>(lanes, unit)
                             : with_lanes<LeftSlopes>(lanes, unit);
}

}  // namespace latitude::solve
