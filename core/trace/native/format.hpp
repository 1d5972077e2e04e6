#pragma once

#include "core/trace/format.hpp"
#include "core/trace/native/native.hpp"

namespace latitude::trace::native {

/// The format of `latitude trace`.
extern const Format kFormat;

/// The clock chosen by its options.
Clock clock_of(const Chosen& chosen);

}  // namespace latitude::trace::native
