#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/trace/infer/address_map.hpp"

namespace latitude::trace::infer {

/// sizeof(MPI_Request) where requests are integers; where they are pointers it is 8.
enum class RequestSize : std::uint8_t { unknown = 0, four = 4, eight = 8 };

/// What one rank's file says about requests, which it knows by address only. Addresses get short
/// ids as they are posted; until requests are resolved, Event::args holds such an id.
class RequestLog {
 public:
  struct Address {
    std::uint64_t value;
    bool pointers;  ///< posted on a communicator whose handle is a pointer, so requests are too
  };
  /// The requests of one MPI_Waitall, MPI_Startall and so on.
  struct ArrayCall {
    std::uint64_t first;
    std::uint32_t count;
  };

  std::uint32_t post(std::uint64_t address, bool pointers) {
    std::uint32_t id = ids.find(address);
    if (id == AddressMap::kNone) {
      id = static_cast<std::uint32_t>(addresses.size());
      ids.set(address, id);
      addresses.push_back({address, pointers});
    }
    addresses[id].pointers = pointers;
    // Requests that are pointers stand at multiples of 8, so one that does not is an integer.
    if (!pointers && address % 8 != 0) integer_size = RequestSize::four;
    return id;
  }

  void array_call(std::uint64_t first, std::int32_t count) {
    const auto n = static_cast<std::uint32_t>(std::max(count, 0));
    if (first % 8 != 0) integer_size = RequestSize::four;
    array_calls.push_back({first, n});
    // Neighbours in one array that are 8 apart, and never any that is 4 off: elements of 8.
    constexpr std::uint32_t kLook = 64;
    for (std::uint32_t i = 0; integer_size == RequestSize::unknown && i + 1 < std::min(n, kLook);
         ++i) {
      const std::uint32_t a = ids.find(first + 8 * std::uint64_t{i});
      const std::uint32_t b = ids.find(first + 8 * std::uint64_t{i} + 8);
      if (a != AddressMap::kNone && b != AddressMap::kNone && !addresses[a].pointers) {
        integer_size = RequestSize::eight;
      }
    }
  }

  AddressMap ids;                      ///< address → id
  std::vector<Address> addresses;      ///< by id
  std::vector<ArrayCall> array_calls;  ///< in program order
  RequestSize integer_size = RequestSize::unknown;
};

}  // namespace latitude::trace::infer
