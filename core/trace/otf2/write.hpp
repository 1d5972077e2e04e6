#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/trace/event.hpp"

namespace latitude::trace::otf2 {

/// Writes a trace as an archive, traces.otf2 and what belongs to it, into `folder`, which exists.
/// Sums of collectives are Score-P's; what OTF2 has no field for stands in attributes
/// (attributes.hpp), so that the archive read again is the same program. What it cannot keep is
/// said in warnings. By one thread, but for messages, which up to `threads` match. InputError names
/// the first call that OTF2 has no records of, or the library that is missing.
std::vector<Warning> write(const Trace& trace, const std::string& folder, unsigned threads);

}  // namespace latitude::trace::otf2
