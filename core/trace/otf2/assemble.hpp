#pragma once

#include "core/trace/event.hpp"
#include "core/trace/otf2/log.hpp"

namespace latitude::trace::otf2 {

/// The trace that an archive makes, by up to `threads` threads (0: one a core). InputError names
/// location and event.
Trace assemble(const Archive& archive, unsigned threads);

}  // namespace latitude::trace::otf2
