#include "core/trace/infer/open_waits.hpp"

#include <algorithm>

namespace latitude::trace::infer {

void OpenWaits::add(std::uint32_t event, const std::vector<std::uint32_t>& ids) {
  Wait wait{event, {}};
  wait.candidates.reserve(ids.size());
  for (const std::uint32_t id : ids) {
    wait.candidates.push_back({id, pending_.active_since(id)});
    ++covering_[id];
  }
  kept_ += ids.size();
  waits_.push_back(std::move(wait));
}

std::uint32_t OpenWaits::first_covering(std::uint32_t id) const {
  return std::ranges::find_if(waits_,
                              [&](const Wait& wait) {
                                return std::ranges::any_of(
                                    wait.candidates,
                                    [&](const Candidate& c) { return c.id == id && counts(c); });
                              })
      ->event;
}

OpenWaits::Choice OpenWaits::taker_of(std::uint32_t id) const {
  const auto found = covering_.find(id);
  if (found == covering_.end()) return {kNone, false};
  return {first_covering(id), found->second > 1};
}

OpenWaits::Choice OpenWaits::first_candidate(std::uint32_t event) const {
  Choice choice{kNone, false};
  for (const Candidate& c : find(event)->candidates) {
    if (!counts(c)) continue;
    if (choice.what != kNone) return {choice.what, true};
    choice.what = c.id;
  }
  return choice;
}

void OpenWaits::close(std::uint32_t event) {
  const auto wait = find(event);
  for (const Candidate& c : wait->candidates) {
    if (!counts(c)) continue;
    const auto covered = covering_.find(c.id);
    if (--covered->second == 0) covering_.erase(covered);
  }
  kept_ -= wait->candidates.size();
  waits_.erase(wait);
}

OpenWaits::Waits::const_iterator OpenWaits::find(std::uint32_t event) const {
  return std::ranges::lower_bound(waits_, event, {}, &Wait::event);
}

}  // namespace latitude::trace::infer
