#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// What a call does for messages, where it has nothing to wait for.
enum class Service : std::uint8_t {
  send,           ///< sends, or starts to
  exchange,       ///< sends and receives, one message each
  receive,        ///< receives a message that has been there
  post,           ///< posts a receive
  complete,       ///< completes receives of messages that have been there, and maybe sends
  complete_send,  ///< completes sends alone
  count_,
};

/// "send" and so on, "complete-send".
std::string_view name_of(Service service) noexcept;
/// InputError: none has that name.
Service service_named(std::string_view name);

/// Calls of one kind, for messages of similar size, whose time is what they cost the CPU.
struct CallCosts {
  Service service = Service::send;
  Call call = Call::count_;
  /// Messages have up to 2^log2 bytes, and more than half of that; 0: none or one.
  std::uint32_t log2 = 0;
  std::uint64_t ends = 0;  ///< of messages that all such calls serve, waiting or not

  // One entry per call that waited for nothing; of very many a random choice that depends on the
  // trace alone.
  std::uint64_t calls = 0;           ///< how many there were
  std::vector<double> ns;            ///< what a call took, per end
  std::vector<double> bytes;         ///< mean size of its messages
  std::vector<std::uint32_t> share;  ///< ends that it served
  std::vector<std::uint32_t> block;  ///< which part of which rank's run: neighbours may be alike
};

/// Of which CallCosts a message of so many bytes is.
std::uint32_t log2_of(std::uint64_t bytes) noexcept;

/// What is known of the network, in deciding whether a message was there.
struct Travel {
  double first_ns = 0;     ///< how long a message of one byte is under way, at most
  double per_byte_ns = 0;  ///< and how much longer for each more
  /// Bytes: larger messages wait for their receiver, by blocking sends and by others.
  std::uint64_t eager_blocking = 0;
  std::uint64_t eager_nonblocking = 0;
  bool told = false;  ///< whether that is so, whatever sends seem to have waited for
};

/// Costs of calls, and ends of messages that tell of none, by why.
struct Overheads {
  std::vector<CallCosts> costs;  ///< by service, call and size
  std::uint64_t waited = 0;      ///< the message may have come while the call was waiting
  std::uint64_t rendezvous = 0;  ///< above the eager limit, or sent synchronously
  std::uint64_t to_itself = 0;   ///< of a rank to itself, or completed together with such
  std::uint64_t unknown = 0;  ///< with other requests, or with a message of which nothing is known
  /// Up to how many bytes messages were taken as eager: as in Travel, or less where sends waited.
  std::uint64_t eager_blocking = 0;
  std::uint64_t eager_nonblocking = 0;
  std::uint64_t largest = 0;  ///< bytes of the largest message, of whatever protocol
  bool one_clock = true;      ///< times of different ranks were compared by one clock
};

/// What point-to-point calls cost the CPU, one by one (docs/internals/overheads.md).
///
/// A message was there when a call began if the call that sent it had returned longer ago than
/// messages travel. Where ranks have no common clock, the least time that any message seemed to
/// take from a rank to the other is taken off: it is more than what the one's clock is ahead.
/// Sends are taken to wait for their receiver from the size on at which most of those whose receive
/// is posted late return later than that, unless the eager limits are told. Late is later
/// than a send of that size takes, in the median, whose receive has been posted before.
/// A call's time is shared evenly among the ends that it serves; the tracer's own part in it
/// (RankTrace::call_cost_ns) is no cost of the call. Linear in the events; InputError: a call names
/// a rank that its communicator has not.
Overheads overheads(const Trace& trace, const Travel& travel, unsigned threads);

}  // namespace latitude::trace
