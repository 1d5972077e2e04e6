#pragma once

#include "core/trace/event.hpp"
#include "core/trace/infer/comm_log.hpp"
#include "core/trace/infer/request_log.hpp"

namespace latitude::trace::infer {

/// The contents of one rank's file, for formats that record a call's arguments and leave the
/// meaning of requests and communicators to their reader. In `trace.events`, until they are
/// resolved:
///   comm  index into comms.uses (kNothing where the call needs no communicator)
///   peer  as written
///   args  of calls that post, start, free or complete one request: its id in `requests`
struct RankLog {
  RankTrace trace;
  CommLog comms;
  RequestLog requests;
};

}  // namespace latitude::trace::infer
