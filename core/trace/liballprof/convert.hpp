#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/liballprof/record.hpp"

namespace latitude::trace::liballprof {

/// Why a well-formed record cannot become an event; the reader adds where it stands.
struct Refused {
  std::string_view why;
};

/// Sets bytes, peer, tag, args and flags of point-to-point and collective calls as event.hpp
/// defines them. Throws Refused.
void convert_call(const Record& record, Event& event, RankTrace& rank);

}  // namespace latitude::trace::liballprof
