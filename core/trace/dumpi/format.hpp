#pragma once

#include "core/trace/format.hpp"

namespace latitude::trace::dumpi {

extern const Format kFormat;

}  // namespace latitude::trace::dumpi
