#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/trace/infer/address_map.hpp"

namespace latitude::trace::infer {

/// sizeof(MPI_Request) for requests that are integers; for pointers it is 8.
enum class RequestSize : std::uint8_t { unknown = 0, four = 4, eight = 8 };

/// The records of one rank's file on requests, which the file knows only by address. Addresses get
/// short ids at their posting; until requests are resolved, Event::args holds such an id.
class RequestLog {
 public:
  struct Address {
    std::uint64_t value;
    bool pointers;  ///< posted on a communicator whose handle is a pointer, so requests are
                    ///< pointers too
  };
  /// The requests of one MPI_Waitall, MPI_Startall or similar call.
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
    // Requests that are pointers have addresses that are multiples of 8, so one at another address
    // is an integer.
    if (!pointers && address % 8 != 0) integer_size = RequestSize::four;
    return id;
  }

  void array_call(std::uint64_t first, std::int32_t count) {
    const auto n = static_cast<std::uint32_t>(std::max(count, 0));
    if (first % 8 != 0) integer_size = RequestSize::four;
    array_calls.push_back({first, n});
    // Neighbours in one array are 8 apart, and none is 4 apart: elements have 8 bytes.
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
