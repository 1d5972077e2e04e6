#pragma once

#include <string>

#include "core/trace/event.hpp"
#include "core/trace/otf2/log.hpp"

namespace latitude::trace::otf2 {

/// The trace that an archive makes, by up to `threads` threads (0: one a core). InputError names
/// location and event.
Trace assemble(const Archive& archive, unsigned threads);

/// The same of an archive on disk, one rank after the other, so that no more than one rank's log is
/// held. InputError as of read_archive, too.
Trace read_and_assemble(const std::string& anchor);

}  // namespace latitude::trace::otf2
