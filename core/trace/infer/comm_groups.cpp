// The processes in the communicators that one collective call made.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "core/trace/infer/comm_state.hpp"
#include "core/trace/infer/fail.hpp"

namespace latitude::trace::infer {

bool CommFacts::deduce() {
  bool news = false;
  while (!to_match_.empty() || !to_pin_.empty()) {
    for (const std::uint32_t comm : std::exchange(to_match_, {})) {
      const std::size_t before = instances.size();
      match(root(comm));
      news |= instances.size() != before;
    }
    std::vector<std::uint32_t> pins = std::exchange(to_pin_, {});
    std::ranges::sort(pins);
    pins.erase(std::unique(pins.begin(), pins.end()), pins.end());
    for (const std::uint32_t i : pins) news |= pin(instances[i]);
  }
  return news;
}

/// Matches creations: the k-th creation on a communicator is the same collective call on each of
/// its members.
void CommFacts::match(std::uint32_t comm) {
  for (;; ++comms[comm].matched) {
    const CommState& parent = comms[comm];
    const std::size_t k = parent.matched;
    if (parent.made.empty() || parent.frozen ||
        std::ranges::any_of(parent.made, [&](const auto& list) { return list.size() <= k; })) {
      return;
    }
    Instance instance{static_cast<std::uint32_t>(instances.size()), comm, {}};
    for (const auto& list : parent.made) instance.creations.push_back(list[k]);
    instances.push_back(std::move(instance));
    give_outcomes(static_cast<std::uint32_t>(instances.size() - 1));
  }
}

void CommFacts::give_outcomes(std::uint32_t index) {
  const Instance instance = instances[index];
  const std::vector<std::int32_t>& group = *comms[instance.parent].group;
  const Creation& first = record_of(instance, 0);
  for (std::uint32_t m = 0; m < group.size(); ++m) {
    const Creation& other = record_of(instance, m);
    if (other.call != first.call) {
      fail(logs[static_cast<std::size_t>(group[m])].trace.source, other.line,
           std::string(name_of(other.call)) + " meets " + std::string(name_of(first.call)) +
               " of " + at(logs[static_cast<std::size_t>(group[0])].trace.source, first.line) +
               " on what seems to be one communicator; if the files are of one run, " + kRetrace);
    }
    state_of(instance, m).instance = index;
    state_of(instance, m).outcome = Outcome::opaque;
  }
  std::vector<std::uint32_t> everyone(group.size());
  std::iota(everyone.begin(), everyone.end(), 0u);
  const auto nodes = static_cast<std::size_t>(std::max(first.first, 0));
  switch (first.call) {
    case Call::Comm_dup:
    case Call::Comm_dup_with_info:
    case Call::Comm_idup:
      return know(instance, everyone);
    case Call::Comm_split:
      return split(instance);
    case Call::Dist_graph_create:
    case Call::Dist_graph_create_adjacent:
      if (first.first == 0) know(instance, everyone);  // no reordering: ranks are kept
      return;
    case Call::Graph_create:
      if (first.second != 0 || nodes == 0 || nodes > group.size()) return;
      return know(instance, std::span(everyone).first(nodes));
    case Call::Cart_create:
      if (first.first != 0) return;
      for (const std::uint32_t m : everyone) state_of(instance, m).outcome = Outcome::prefix;
      to_pin_.push_back(index);
      return;
    default:
      to_pin_.push_back(index);
  }
}

/// Divides by MPI_Comm_split: one communicator per colour, ordered by key, then by rank in the
/// parent.
void CommFacts::split(const Instance& instance) {
  std::map<std::int32_t, std::vector<std::uint32_t>> colours;
  for (std::uint32_t m = 0; m < instance.creations.size(); ++m) {
    state_of(instance, m).outcome = Outcome::none;
    const std::int32_t colour = record_of(instance, m).first;
    if (colour >= 0) colours[colour].push_back(m);  // below 0: MPI_UNDEFINED
  }
  for (auto& [colour, members] : colours) {
    std::ranges::stable_sort(members, {},
                             [&](std::uint32_t m) { return record_of(instance, m).second; });
    know(instance, members);
  }
}

/// Stores that these members of the parent, in this order, are one new communicator.
void CommFacts::know(const Instance& instance, std::span<const std::uint32_t> members) {
  const std::vector<std::int32_t>& parent = *comms[instance.parent].group;
  auto group = std::make_shared<std::vector<std::int32_t>>();
  for (const std::uint32_t m : members) group->push_back(parent[m]);
  const bool same = *group == parent;
  const std::uint32_t comm =
      add_comm(same ? comms[instance.parent].group : std::move(group), instance.index);
  for (std::size_t i = 0; i < members.size(); ++i) {
    CreationState& state = state_of(instance, members[i]);
    if (members.size() == 1) {
      state.outcome = Outcome::none;
      continue;
    }
    state.outcome = Outcome::known;
    state.comm = comm;
    state.rank = static_cast<std::int32_t>(i);
    state.size = static_cast<std::int32_t>(members.size());
    const auto rank = static_cast<std::uint32_t>((*comms[comm].group)[i]);
    for (const std::uint32_t use : state.uses) {
      // A handle bound before its group was known may turn out not to belong to this communicator.
      const HandleUse& shown = ranks[rank].log->uses[use];
      if (shown.rank == state.rank && shown.size == state.size) assign(rank, use, comm);
    }
  }
}

/// Finds the groups of a call that does not record them: if n members show size n and each of the
/// ranks 0 … n−1 once, they are one communicator.
bool CommFacts::pin(const Instance& found) {
  const Instance instance = found;  // `instances` may move
  std::map<std::int32_t, std::vector<std::pair<std::int32_t, std::uint32_t>>> shown;
  for (std::uint32_t m = 0; m < instance.creations.size(); ++m) {
    const CreationState& state = state_of(instance, m);
    if (!state.bound || (state.outcome != Outcome::opaque && state.outcome != Outcome::prefix)) {
      continue;
    }
    const auto rank = static_cast<std::size_t>((*comms[instance.parent].group)[m]);
    const HandleUse& use = ranks[rank].log->uses[state.uses.front()];
    shown[use.size].emplace_back(use.rank, m);
  }
  if (shown.empty()) return false;
  if (state_of(instance, shown.begin()->second.front().second).outcome == Outcome::prefix) {
    const auto size = static_cast<std::uint32_t>(shown.begin()->first);
    if (shown.size() > 1 || size > instance.creations.size()) return false;
    for (std::uint32_t m = 0; m < instance.creations.size(); ++m) {
      state_of(instance, m).outcome = Outcome::none;
    }
    std::vector<std::uint32_t> members(size);
    std::iota(members.begin(), members.end(), 0u);
    know(instance, members);
    return true;
  }
  bool news = false;
  for (auto& [size, ranked] : shown) {
    if (ranked.size() != static_cast<std::size_t>(size)) continue;
    std::ranges::sort(ranked);
    std::vector<std::uint32_t> members;
    for (const auto& [rank, m] : ranked) {
      if (rank == static_cast<std::int32_t>(members.size())) members.push_back(m);
    }
    if (members.size() != ranked.size()) continue;
    know(instance, members);
    news = true;
  }
  return news;
}

}  // namespace latitude::trace::infer
