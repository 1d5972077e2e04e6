#pragma once

#include "core/trace/dumpi/log.hpp"
#include "core/trace/source.hpp"

namespace latitude::trace::dumpi {

/// The contents of a rank's file. InputError names file and byte of damage; file and record (from
/// 1) of a call with wrong contents.
Log read_rank(Source& source);

}  // namespace latitude::trace::dumpi
