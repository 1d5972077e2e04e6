#pragma once

#include <cstdint>
#include <vector>

#include "core/flat_map.hpp"
#include "core/trace/event.hpp"

namespace latitude::solve {

/// Numbers for calls of one kind at one place, in order of appearance; 0 means no call.
template <class Place>
class PlaceNumbers {
 public:
  std::uint32_t of(trace::Call call, std::uint32_t site) {
    if (call == trace::Call::count_) return 0;
    const std::uint64_t key = std::uint64_t{site} << 32 | static_cast<std::uint32_t>(call);
    if (key != last_key_) {
      std::uint32_t& number = numbers_[key];
      if (number == 0) {
        number = static_cast<std::uint32_t>(places.size());
        places.push_back({.call = call, .site = site});
      }
      last_key_ = key;
      last_ = number;
    }
    return last_;
  }

  std::vector<Place> places{1};

 private:
  FlatMap<std::uint64_t, std::uint32_t> numbers_;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  std::uint32_t last_ = 0;
};

}  // namespace latitude::solve
