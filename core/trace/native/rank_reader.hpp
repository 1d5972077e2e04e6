#pragma once

#include <cstdint>

#include "core/trace/native/native.hpp"
#include "core/trace/native/rank_log.hpp"
#include "core/trace/source.hpp"

namespace latitude::trace::native {

/// Which file is expected, and how it is to be read.
struct Reading {
  std::size_t rank = 0;
  std::size_t ranks = 1;
  Clock clock = Clock::automatic;
  Incomplete incomplete = Incomplete::refuse;
};

/// One rank's file, threads merged and requests resolved. Throws InputError. A file that breaks
/// off ends in Ending::cut_off, whatever `incomplete` says.
RankLog read_rank(Source& source, const Reading& reading);

}  // namespace latitude::trace::native
