#pragma once

#include "core/trace/format.hpp"

namespace latitude::trace::paraver {

extern const Format kFormat;

}  // namespace latitude::trace::paraver
