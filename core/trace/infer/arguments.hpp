#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace::infer {

/// The arguments of a call, for formats that record them. Arguments of a kind are numbered in the
/// order of the C prototype. Vectors keep their capacity from one call to the next.
struct Arguments {
  std::array<std::int32_t, 2> count{};
  std::array<std::int64_t, 2> type_size{};  ///< bytes of one element
  std::array<std::int32_t, 2> peer{};       ///< destination, source or root
  std::array<std::int32_t, 2> tag{};
  std::array<std::vector<std::int32_t>, 2> counts;  ///< elements to or from each rank
  std::int32_t rank = 0;                            ///< the caller's rank in the communicator
  std::int32_t size = 0;                            ///< number of ranks in the communicator
  bool in_place = false;
  bool user_op = false;  ///< a reduction with an operation that is not predefined
};

/// The reason for which arguments cannot become an event; the reader adds their place.
struct Refused {
  std::string_view why;
};

/// Whether the arguments name the communicator of an event's peers and sizes.
bool names_communicator(CallClass call_class) noexcept;

/// Elements of a type, in bytes; zero elements have 0 bytes, whatever their size. Throws Refused.
std::uint64_t bytes_of(std::int32_t count, std::int64_t type_size);

/// Sets bytes, peer, tag, args and flags of point-to-point and collective calls as event.hpp
/// defines them. Throws Refused.
void set_arguments(CallClass call_class, const Arguments& arguments, Event& event, RankTrace& rank);

/// As set_arguments, for an Alltoallv or Alltoallw whose bytes to and from each rank are known.
void set_exchanged(const std::vector<std::int64_t>& to_each,
                   const std::vector<std::int64_t>& from_each, Event& event, RankTrace& rank);

}  // namespace latitude::trace::infer
