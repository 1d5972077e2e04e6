#pragma once

#include "core/trace/format.hpp"

namespace latitude::trace::liballprof {

/// liballprof's text.
extern const Format kFormat;

}  // namespace latitude::trace::liballprof
