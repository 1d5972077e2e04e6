#pragma once

#include "core/trace/dumpi/log.hpp"
#include "core/trace/source.hpp"

namespace latitude::trace::dumpi {

/// What the file of a rank says. InputError names file and byte of what is damaged, file and
/// record (from 1) of a call that is not what it should be.
Log read_rank(Source& source);

}  // namespace latitude::trace::dumpi
