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

/// Where calls of one kind are made.
struct SlackPlace {
  trace::Call call = trace::Call::count_;  ///< count_: of no call
  std::uint32_t site = trace::kNoSite;     ///< index into Trace::sites
};

/// What a message is, as far as its slack is summed up by that.
struct MessageKind {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t received = 0;  ///< index into StreamSlack::places
  std::uint32_t sent = 0;      ///< the same
  std::uint32_t comm = 0;      ///< the communicator of the call that posts the receive
  std::uint8_t size = 0;       ///< size_class() of its bytes

  bool operator==(const MessageKind&) const = default;
};

/// Slack as a pass finds it (MessageSlack), in sums.
struct StreamSlack {
  double T_ns = 0;
  std::vector<SlackPlace> places;  ///< the first: of no call
  std::vector<MessageKind> kinds;
  std::vector<SlackSums> sums;  ///< by kind
  std::uint64_t written = 0;    ///< bytes that were in the folder
};

/// The slack of all messages, as message_slack finds it in memory: in one pass over the trace,
/// which writes what the way back asks into a file without a name in `folder`, and that way back.
/// Slack below `rounding` · T counts as none. Memory is that of evaluate_stream, and that of the
/// sums. Options' progress is told of the way back as of another pass. Errors as evaluate_stream;
/// InputError also where nothing can be written into the folder.
StreamSlack stream_slack(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
                         const model::Network& network, const std::string& folder, double rounding,
                         const StreamOptions& options = {});

}  // namespace latitude::solve
