#pragma once

#include <string>

#include "core/trace/event.hpp"
#include "core/trace/otf2/log.hpp"

namespace latitude::trace::otf2 {

/// The trace of an archive, by up to `threads` threads (0: one per core). InputError names location
/// and event.
Trace assemble(const Archive& archive, unsigned threads);

/// The trace of an archive on disk, one rank after the other, so that only one rank's log is in
/// memory. Also InputError as in read_archive.
Trace read_and_assemble(const std::string& anchor);

}  // namespace latitude::trace::otf2
