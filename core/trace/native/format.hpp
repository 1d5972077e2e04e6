#pragma once

#include "core/trace/format.hpp"

namespace latitude::trace::native {

/// What `latitude trace` writes.
extern const Format kFormat;

}  // namespace latitude::trace::native
