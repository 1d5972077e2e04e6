#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/trace/event.hpp"

namespace latitude::trace::otf2 {

/// Writes a trace as an archive, traces.otf2 and its other files, into `folder`, which exists. Sums
/// of collectives are Score-P's. Facts for which OTF2 has no field are in attributes
/// (attributes.hpp), so that the archive, read again, is the same program. Warnings list the facts
/// that the archive cannot keep. Uses one thread, except for messages, which up to `threads`
/// threads match. InputError names the first call without records in OTF2, or the missing library.
std::vector<Warning> write(const Trace& trace, const std::string& folder, unsigned threads);

}  // namespace latitude::trace::otf2
