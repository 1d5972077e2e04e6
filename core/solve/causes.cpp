#include "core/solve/causes.hpp"

#include <array>

namespace latitude::solve {
namespace {

/// The cause of a wait in a collective, for its members.
Cause cause_of_collective(trace::Call call) noexcept {
  using trace::Call;
  switch (trace::blocking_form(call)) {
    case Call::Barrier:
      return Cause::barrier;
    case Call::Reduce:
    case Call::Gather:
    case Call::Gatherv:
      return Cause::early_reduce;
    case Call::Bcast:
    case Call::Scatter:
    case Call::Scatterv:
      return Cause::late_broadcast;
    case Call::Scan:
    case Call::Exscan:
      return Cause::early_scan;
    default:
      return Cause::n_to_n;
  }
}

}  // namespace

bool is_collective(trace::Call call) noexcept {
  if (call == trace::Call::count_) return false;
  switch (trace::class_of(call)) {
    case trace::CallClass::collective:
    case trace::CallClass::icollective:
    case trace::CallClass::collective_init:
    case trace::CallClass::comm_create:
      return true;
    default:
      return false;
  }
}

Cause cause_of(trace::Call call, graph::Kind kind) noexcept {
  const bool receives = kind == graph::Kind::recv;
  if (!is_collective(call)) return receives ? Cause::late_sender : Cause::late_receiver;
  const Cause cause = cause_of_collective(call);
  const bool rooted = cause == Cause::early_reduce || cause == Cause::late_broadcast;
  return rooted && !receives ? Cause::late_receiver : cause;
}

std::string_view name_of(Cause cause) noexcept {
  static constexpr std::array<std::string_view, kCauses> kNames{
      "late_sender",    "wrong_order", "late_receiver", "early_reduce", "early_scan",
      "late_broadcast", "n_to_n",      "barrier",       "other_thread", "completion"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string_view name_of(Activity activity) noexcept {
  static constexpr std::array<std::string_view, kActivities> kNames{"computation", "overhead",
                                                                    "transfer"};
  return kNames[static_cast<std::size_t>(activity)];
}

}  // namespace latitude::solve
