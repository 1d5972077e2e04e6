#pragma once

#include "core/trace/format.hpp"

namespace latitude::trace::otf2 {

/// OTF2, as Score-P and others write it, read through OTF2's C library.
extern const Format kFormat;

}  // namespace latitude::trace::otf2
