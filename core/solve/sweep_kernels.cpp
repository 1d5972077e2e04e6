#include "core/solve/sweep_kernels.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace latitude::solve {
namespace {

/// θ of K lanes in vectors of W, which stay in registers.
template <int K, int W>
struct Thetas {
  LATITUDE_INLINE explicit Thetas(const double* theta) noexcept {
    for (int n = 0; n < K / W; ++n) vector[n] = at<W>(theta + n * W);
  }
  Vector<W> vector[K / W];
};

/// A step may write the slot that it reads, because it reads each vector before storing it.
template <class Step, int K>
struct Runtime {
  template <int kWidest>
  LATITUDE_INLINE static void run(const Step* steps, std::size_t count, const double* theta_in,
                                  double* values) {
    constexpr int W = std::min(K, kWidest);
    const Thetas<K, W> theta(theta_in);
    for (std::size_t i = 0; i < count; ++i) {
      const Step& step = steps[i];
      const double slope[2] = {static_cast<double>(step.slope[0]),
                               static_cast<double>(step.slope[1])};
      const double* const a = values + std::size_t{step.from[0]} * K;
      const double* const b = values + std::size_t{step.from[1]} * K;
      double* const to = values + std::size_t{step.to} * K;
      for (int n = 0; n < K / W; ++n) {
        const Vector<W> here = theta.vector[n];
        const Vector<W> x = at<W>(a + n * W) + (step.constant[0] + slope[0] * here);
        const Vector<W> y = at<W>(b + n * W) + (step.constant[1] + slope[1] * here);
        at<W>(to + n * W) = x > y ? x : y;
      }
    }
  }
};

template <class Step, int K, Side side>
struct Slopes {
  template <int kWidest>
  LATITUDE_INLINE static void run(const Step* steps, std::size_t count, const double* theta_in,
                                  double* values) {
    constexpr int W = std::min(K, kWidest);
    const Thetas<K, W> theta(theta_in);
    for (std::size_t i = 0; i < count; ++i) {
      const Step& step = steps[i];
      const double slope[2] = {static_cast<double>(step.slope[0]),
                               static_cast<double>(step.slope[1])};
      const double* const a = values + std::size_t{step.from[0]} * (2 * K);
      const double* const b = values + std::size_t{step.from[1]} * (2 * K);
      double* const to = values + std::size_t{step.to} * (2 * K);
      for (int n = 0; n < K / W; ++n) {
        const Vector<W> here = theta.vector[n];
        const Vector<W> x = at<W>(a + n * W) + (step.constant[0] + slope[0] * here);
        const Vector<W> y = at<W>(b + n * W) + (step.constant[1] + slope[1] * here);
        const Vector<W> x_slope = at<W>(a + K + n * W) + slope[0];
        const Vector<W> y_slope = at<W>(b + K + n * W) + slope[1];
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

/// The kernel for this number of lanes.
template <class Step, template <class, int> class Kernel>
SweepKernel<Step>* with_lanes(int lanes, Unit unit) {
  const auto compiled = [&]<int K>() {
    return compiled_for<Kernel<Step, K>, const Step*, std::size_t, const double*, double*>(unit);
  };
  switch (lanes) {
    case 1:
      return compiled.template operator()<1>();
    case 2:
      return compiled.template operator()<2>();
    case 4:
      return compiled.template operator()<4>();
    case 8:
      return compiled.template operator()<8>();
    case kMaxLanes:
      return compiled.template operator()<kMaxLanes>();
    default:
      throw InputError("lanes must be 1 to 16");
  }
}

template <class Step, int K>
using RightSlopes = Slopes<Step, K, Side::right>;
template <class Step, int K>
using LeftSlopes = Slopes<Step, K, Side::left>;

}  // namespace

template <class Step>
SweepKernel<Step>* runtime_kernel(int lanes, Unit unit) {
  return with_lanes<Step, Runtime>(lanes, unit);
}

template <class Step>
SweepKernel<Step>* tangent_kernel(int lanes, Side side, Unit unit) {
  return side == Side::right ? with_lanes<Step, RightSlopes>(lanes, unit)
                             : with_lanes<Step, LeftSlopes>(lanes, unit);
}

template SweepKernel<SweepPlan::Step>* runtime_kernel(int, Unit);
template SweepKernel<SweepPlan::SmallStep>* runtime_kernel(int, Unit);
template SweepKernel<SweepPlan::Step>* tangent_kernel(int, Side, Unit);
template SweepKernel<SweepPlan::SmallStep>* tangent_kernel(int, Side, Unit);

}  // namespace latitude::solve
