#pragma once

#include "core/trace/event.hpp"
#include "core/trace/infer/comm_log.hpp"
#include "core/trace/infer/request_log.hpp"

namespace latitude::trace::infer {

/// Everything one rank's file says, for formats that write down a call's arguments and leave it to
/// their reader what requests and communicators stand for. In `trace.events`, until it is resolved:
///   comm  index into comms.uses (kNothing where the call needs no communicator)
///   peer  as written
///   args  of calls that post, start, free or complete one request: its id in `requests`
struct RankLog {
  RankTrace trace;
  CommLog comms;
  RequestLog requests;
};

}  // namespace latitude::trace::infer
