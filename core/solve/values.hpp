#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace latitude::solve {

/// Doubles aligned to cache lines, not initialised.
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

}  // namespace latitude::solve
