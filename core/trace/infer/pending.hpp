#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/infer/request_log.hpp"

namespace latitude::trace::infer {

/// The requests at a rank's request addresses, as the program proceeds.
class PendingRequests {
 public:
  static constexpr std::uint32_t kNone = AddressMap::kNone;

  explicit PendingRequests(const RequestLog& log) : log_(log), states_(log.addresses.size()) {}

  /// The event that posted the request at `id`, or kNone.
  std::uint32_t event(std::uint32_t id) const { return states_[id].event; }
  bool active(std::uint32_t id) const { return states_[id].place != kNone; }
  bool persistent(std::uint32_t id) const { return states_[id].persistent; }
  /// The event that made the request active: its posting, or its latest start.
  std::uint32_t active_since(std::uint32_t id) const { return states_[id].since; }
  std::span<const std::uint32_t> all_active() const { return active_; }

  void put(std::uint32_t id, std::uint32_t event, bool persistent) {
    deactivate(id);
    states_[id].event = event;
    states_[id].persistent = persistent;
    if (!persistent) activate(id, event);
  }
  void activate(std::uint32_t id, std::uint32_t event) {
    states_[id].since = event;
    states_[id].place = static_cast<std::uint32_t>(active_.size());
    active_.push_back(id);
  }
  void complete(std::uint32_t id) {
    deactivate(id);
    if (!states_[id].persistent) states_[id].event = kNone;
  }
  void forget(std::uint32_t id) {
    deactivate(id);
    states_[id] = State{};
  }

  enum class Which { active, startable, any };
  enum class Found { yes, size_unknown, sizes_mixed };

  /// The requests (ids, in array order) in an array. `integer_size` is the size of requests that
  /// are not pointers.
  Found in_array(const RequestLog::ArrayCall& array, RequestSize integer_size, Which which,
                 std::vector<std::uint32_t>& ids) const;

 private:
  struct State {
    std::uint32_t event = kNone;
    std::uint32_t since = kNone;
    std::uint32_t place = kNone;  ///< in active_
    bool persistent = false;
  };

  void deactivate(std::uint32_t id) {
    const std::uint32_t place = states_[id].place;
    if (place == kNone) return;
    active_[place] = active_.back();
    states_[active_[place]].place = place;
    active_.pop_back();
    states_[id].place = kNone;
  }
  bool stands(std::uint32_t id, Which which) const {
    if (which == Which::any) return true;
    return which == Which::active ? active(id) : states_[id].persistent && !active(id);
  }

  const RequestLog& log_;
  std::vector<State> states_;          ///< by id
  std::vector<std::uint32_t> active_;  ///< ids, in no order
};

}  // namespace latitude::trace::infer
