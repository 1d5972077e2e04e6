#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// The work of a call for messages, if it has nothing to wait for.
enum class Service : std::uint8_t {
  send,           ///< sends, or starts to
  exchange,       ///< sends and receives, one message each
  receive,        ///< receives a message that has already arrived
  post,           ///< posts a receive
  complete,       ///< completes receives of messages that have already arrived, and perhaps sends
  complete_send,  ///< completes sends alone
  count_,
};

/// The name of a service, such as "send" or "complete-send".
std::string_view name_of(Service service) noexcept;
/// InputError: no service has that name.
Service service_named(std::string_view name);

/// Calls of one kind, for messages of similar sizes; their duration is their cost on the CPU.
struct CallCosts {
  Service service = Service::send;
  Call call = Call::count_;
  /// Messages have up to 2^log2 bytes, and more than half of that; 0: none or one byte.
  std::uint32_t log2 = 0;
  std::uint64_t ends = 0;  ///< number of messages that all such calls serve, waiting or not

  // One entry per call that did not wait; of very many, a random choice that depends only on the
  // trace.
  std::uint64_t calls = 0;           ///< total number of these calls
  std::vector<double> ns;            ///< duration of a call, per end
  std::vector<double> bytes;         ///< mean size of its messages
  std::vector<std::uint32_t> share;  ///< number of ends that it served
  std::vector<std::uint32_t>
      block;  ///< rank of each call, and part of its run: neighbours may be similar
};

/// The CallCosts to which a message of this size belongs.
std::uint32_t log2_of(std::uint64_t bytes) noexcept;

/// The known bounds of the network, to decide whether a message had arrived.
struct Travel {
  double first_ns = 0;     ///< longest travel time of a message of one byte
  double per_byte_ns = 0;  ///< additional travel time for each further byte
  /// Bytes above which messages wait for their receiver, for blocking sends and for others.
  std::uint64_t eager_blocking = 0;
  std::uint64_t eager_nonblocking = 0;
  bool told = false;  ///< whether these limits are certain, whatever sends seem to wait for
};

/// Costs of calls, and ends of messages without information, by reason.
struct Overheads {
  std::vector<CallCosts> costs;  ///< by service, call and size
  std::uint64_t waited = 0;      ///< the message may have arrived while the call was waiting
  std::uint64_t rendezvous = 0;  ///< above the eager limit, or sent synchronously
  std::uint64_t to_itself = 0;   ///< from a rank to itself, or completed together with such a
                                 ///< message
  std::uint64_t unknown = 0;     ///< with other requests, or with a message about which nothing is
                                 ///< known
  /// Largest size treated as eager: as in Travel, or less if sends waited.
  std::uint64_t eager_blocking = 0;
  std::uint64_t eager_nonblocking = 0;
  std::uint64_t largest = 0;  ///< bytes of the largest message, by any protocol
  bool one_clock = true;      ///< one clock compared the times of different ranks
};

/// The CPU cost of point-to-point calls, one by one (docs/internals/overheads.md).
///
/// A message had arrived at the start of a call if the sending call had returned longer ago than
/// the travel time. If ranks have no common clock, the least apparent travel time from the one rank
/// to the other is subtracted: it is more than the lead of the receiver's clock. Unless the eager
/// limits are given, the durations of sends decide from which size on sends wait. A receive is late
/// if it is posted later than the median send of that size lasts when its receive is posted early.
/// Sends of a size wait if most sends with a late receive return only after its posting. A call's
/// duration is divided evenly among the ends that it serves; the tracer's own part in it
/// (RankTrace::call_cost_ns) is not a cost of the call. Linear in the events. InputError: a call
/// names a rank that its communicator does not have.
Overheads overheads(const Trace& trace, const Travel& travel, unsigned threads);

}  // namespace latitude::trace
