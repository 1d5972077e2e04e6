#pragma once

#include <memory>
#include <new>
#include <span>
#include <vector>

#include "core/solve/affine_dag.hpp"

namespace latitude::solve {

/// Most values of θ that one pass over the graph evaluates.
inline constexpr int kMaxLanes = 16;

/// T and its one-sided derivatives at one θ. They differ where critical paths tie.
struct Slopes {
  double value;
  double left;
  double right;
};

/// T at each θ, `lanes` (1, 2, 4, 8 or 16) of them a pass. The numbers do not depend on `lanes`.
std::vector<double> runtimes(const AffineDag& dag, std::span<const double> theta, int lanes = 8);

/// T with left and right derivative at θ.
Slopes slopes(const AffineDag& dag, double theta);

/// The line that T follows for large θ: T(θ) = constant + slope · θ.
Affine asymptote(const AffineDag& dag);

/// Cache-line aligned doubles, not initialised.
class Values {
 public:
  explicit Values(std::size_t count)
      : data_(static_cast<double*>(::operator new[](count * sizeof(double), kAlign))) {}
  double* data() const noexcept { return data_.get(); }

 private:
  static constexpr std::align_val_t kAlign{64};
  struct Free {
    void operator()(double* p) const noexcept { ::operator delete[](p, kAlign); }
  };
  std::unique_ptr<double[], Free> data_;
};

/// Longest path to every node at 8 values of θ, with its slope (the right derivative) where asked:
/// values[8 n + lane] belongs to node n, node 0 being the origin.
inline constexpr int kLanes = 8;
void forward(const AffineDag& dag, const double theta[kLanes], double* values);
void forward_with_slopes(const AffineDag& dag, const double theta[kLanes], double* values,
                         double* right);

}  // namespace latitude::solve
