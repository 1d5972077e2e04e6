#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/from_trace.hpp"
#include "core/model/network.hpp"
#include "core/solve/slack_sums.hpp"
#include "core/solve/stream/evaluate.hpp"
#include "core/trace/native/pieces.hpp"

namespace latitude::solve {

/// The place of calls of one kind.
struct SlackPlace {
  trace::Call call = trace::Call::count_;  ///< count_: of no call
  std::uint32_t site = trace::kNoSite;     ///< index into Trace::sites
};

/// The properties of a message by which slack is summed.
struct MessageKind {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t received = 0;  ///< index into StreamSlack::places
  std::uint32_t sent = 0;      ///< the same
  std::uint32_t comm = 0;      ///< the communicator of the call that posts the receive
  std::uint8_t size = 0;       ///< size_class() of its bytes

  bool operator==(const MessageKind&) const = default;
};

/// Slack from passes over a trace (MessageSlack), in sums.
struct StreamSlack {
  double T_ns = 0;
  std::vector<SlackPlace> places;  ///< the first: of no call
  std::vector<MessageKind> kinds;
  std::vector<SlackSums> sums;  ///< by kind
  std::uint64_t written = 0;    ///< bytes written to the folder
};

/// The slack of all messages, equal to that of message_slack in memory. One pass over the trace
/// writes the data for the backward pass to an unnamed file in `folder`; then comes the backward
/// pass. Slack below `rounding` · T counts as none. The memory is that of evaluate_stream plus that
/// of the sums. Progress (in StreamOptions) counts the backward pass as another pass. Errors as in
/// evaluate_stream; also InputError if the folder cannot be written.
StreamSlack stream_slack(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
                         const model::Network& network, const std::string& folder, double rounding,
                         const StreamOptions& options = {});

}  // namespace latitude::solve
