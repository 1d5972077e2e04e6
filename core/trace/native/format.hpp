#pragma once

#include "core/trace/format.hpp"
#include "core/trace/native/native.hpp"

namespace latitude::trace::native {

/// What `latitude trace` writes.
extern const Format kFormat;

/// Which clock was chosen among its options.
Clock clock_of(const Chosen& chosen);

}  // namespace latitude::trace::native
