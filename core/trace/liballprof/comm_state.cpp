#include "core/trace/liballprof/comm_state.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/trace/liballprof/fail.hpp"

namespace latitude::trace::liballprof {

CommFacts::CommFacts(const std::vector<RankLog>& all) : logs(all) {
  auto everyone = std::make_shared<std::vector<std::int32_t>>(logs.size());
  std::iota(everyone->begin(), everyone->end(), 0);
  add_comm(std::move(everyone));
  ranks.reserve(logs.size());
  for (const RankLog& log : logs) {
    const CommLog& comms_log = log.comms;
    ranks.push_back({&comms_log, std::vector<UseState>(comms_log.uses.size()),
                     std::vector<CreationState>(comms_log.creations.size()),
                     std::vector<std::vector<std::uint32_t>>(comms_log.uses.size())});
    for (std::uint32_t c = 0; c < comms_log.creations.size(); ++c) {
      ranks.back().made_on[comms_log.creations[c].parent].push_back(c);
    }
  }
  for (std::uint32_t r = 0; r < ranks.size(); ++r) seed(r);
}

/// The world, by its handle, and communicators of one process, whose group is plain.
void CommFacts::seed(std::uint32_t rank) {
  const CommLog& log = *ranks[rank].log;
  const std::string& file = logs[rank].trace.source;
  std::uint32_t world = log.world;
  if (world != kNothing) {
    const HandleUse& use = log.uses[world];
    if (static_cast<std::size_t>(use.size) != ranks.size()) {
      fail(file, use.first_line,
           "MPI_COMM_WORLD has " + std::to_string(use.size) + " processes, but " +
               std::to_string(ranks.size()) + " trace files were given; give the file of every "
               "rank of one run");
    }
    if (static_cast<std::uint32_t>(use.rank) != rank) {
      fail(file, use.first_line,
           "this is the file of rank " + std::to_string(use.rank) + ", given as that of rank " +
               std::to_string(rank) + "; give the files in the order of their ranks");
    }
    assign(rank, world, kWorldComm);
  } else if (ranks.size() == 1 && !log.uses.empty()) {
    world = 0;
  }
  std::uint32_t self = kNothing;
  for (std::uint32_t u = 0; u < log.uses.size(); ++u) {
    if (log.uses[u].size != 1) continue;
    if (ranks.size() == 1 && log.uses[u].handle == log.uses[world].handle) {
      assign(rank, u, kWorldComm);
      continue;
    }
    if (self == kNothing) {
      self = add_comm(std::make_shared<std::vector<std::int32_t>>(1, std::int32_t(rank)));
    }
    ranks[rank].uses[u].comm = self;  // what is made on it has one process too: no matching
  }
}

std::uint32_t CommFacts::add_comm(Group group, std::uint32_t instance) {
  CommState& comm = comms.emplace_back();
  comm.group = std::move(group);
  comm.instance = instance;
  return static_cast<std::uint32_t>(comms.size() - 1);
}

std::uint32_t CommFacts::root(std::uint32_t comm) const {
  while (comms[comm].merged_into != kNothing) comm = comms[comm].merged_into;
  return comm;
}

CreationState& CommFacts::state_of(const Instance& instance, std::uint32_t member) {
  const auto rank = static_cast<std::size_t>((*comms[instance.parent].group)[member]);
  return ranks[rank].creations[instance.creations[member]];
}

const Creation& CommFacts::record_of(const Instance& instance, std::uint32_t member) const {
  const auto rank = static_cast<std::size_t>((*comms[instance.parent].group)[member]);
  return ranks[rank].log->creations[instance.creations[member]];
}

void CommFacts::bind(std::uint32_t rank, std::uint32_t use, std::uint32_t creation) {
  CreationState& state = ranks[rank].creations[creation];
  ranks[rank].uses[use].creation = creation;
  state.bound = true;
  state.handle = ranks[rank].log->uses[use].handle;
  state.uses.push_back(use);
  state.last_line = std::max(state.last_line, ranks[rank].log->uses[use].last_line);
  if (state.outcome == Outcome::known) assign(rank, use, state.comm);
  if (state.outcome == Outcome::prefix || state.outcome == Outcome::opaque) {
    to_pin_.push_back(state.instance);
  }
}

void CommFacts::assign(std::uint32_t rank, std::uint32_t use, std::uint32_t comm) {
  comm = root(comm);
  ranks[rank].uses[use].comm = comm;
  const std::vector<std::uint32_t>& made = ranks[rank].made_on[use];
  if (made.empty()) return;
  CommState& parent = comms[comm];
  if (parent.made.empty()) parent.made.resize(parent.group->size());
  auto& list = parent.made[static_cast<std::size_t>(ranks[rank].log->uses[use].rank)];
  if (parent.matched != 0 && parent.matched <= list.size() &&
      made.front() < list[parent.matched - 1]) {
    const Creation& late = ranks[rank].log->creations[made.front()];
    fail(logs[rank].trace.source, late.line,
         std::string(name_of(late.call)) + " is called on a communicator that this file does not "
         "tell from others in time; " + kRetrace);
  }
  list.insert(list.end(), made.begin(), made.end());
  std::sort(list.begin() + static_cast<std::ptrdiff_t>(std::min(parent.matched, list.size())),
            list.end());
  to_match_.push_back(comm);
}

void CommFacts::merge(std::uint32_t a, std::uint32_t b) {
  a = root(a);
  b = root(b);
  if (a == b) return;
  if (b < a) std::swap(a, b);
  CommState& from = comms[b];
  CommState& into = comms[a];
  from.merged_into = a;
  into.merged = true;
  // Once something was matched on either, the order on both together is lost.
  into.frozen |= from.frozen || from.matched != 0 || into.matched != 0;
  if (from.made.empty()) return;
  if (into.made.empty()) into.made.resize(into.group->size());
  for (std::size_t member = 0; member < into.made.size(); ++member) {
    auto& list = into.made[member];
    list.insert(list.end(), from.made[member].begin(), from.made[member].end());
    std::ranges::sort(list);
  }
  to_match_.push_back(a);
}

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

/// The k-th creation on a communicator is the same collective call on each of its members.
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
               " of " +
               at(logs[static_cast<std::size_t>(group[0])].trace.source, first.line) +
               " on one communicator; the files are not of one run");
    }
    state_of(instance, m).instance = index;
    state_of(instance, m).outcome = Outcome::opaque;
  }
  std::vector<std::uint32_t> everyone(group.size());
  std::iota(everyone.begin(), everyone.end(), 0u);
  const auto nodes = static_cast<std::size_t>(std::max(first.first, 0));
  switch (first.call) {
    case Call::Comm_dup: case Call::Comm_dup_with_info: case Call::Comm_idup:
      return know(instance, everyone);
    case Call::Comm_split:
      return split(instance);
    case Call::Dist_graph_create: case Call::Dist_graph_create_adjacent:
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

/// MPI_Comm_split: one communicator a colour, ordered by key, then by rank in the parent.
void CommFacts::split(const Instance& instance) {
  std::map<std::int32_t, std::vector<std::uint32_t>> colours;
  for (std::uint32_t m = 0; m < instance.creations.size(); ++m) {
    state_of(instance, m).outcome = Outcome::none;
    const std::int32_t colour = record_of(instance, m).first;
    if (colour >= 0) colours[colour].push_back(m);  // below 0: MPI_UNDEFINED
  }
  for (auto& [colour, members] : colours) {
    std::ranges::stable_sort(members, {}, [&](std::uint32_t m) {
      return record_of(instance, m).second;
    });
    know(instance, members);
  }
}

/// These members of the parent, in this order, are one new communicator.
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
    for (const std::uint32_t use : state.uses) assign(rank, use, comm);
  }
}

/// Pins the groups of a call that does not record them: where n members show size n and each of
/// the ranks 0 … n−1 once, that is one communicator.
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

bool CommFacts::fits(std::uint32_t rank, std::uint32_t creation, const HandleUse& use) const {
  const CreationState& state = ranks[rank].creations[creation];
  const Creation& record = ranks[rank].log->creations[creation];
  const HandleUse& parent = ranks[rank].log->uses[record.parent];
  if (record.line >= use.first_line || record.freed_line < use.first_line) return false;
  switch (state.outcome) {
    case Outcome::known:
      return state.rank == use.rank && state.size == use.size;
    case Outcome::none:
      return false;
    case Outcome::prefix:
      return use.rank == parent.rank && use.size <= parent.size;
    default:
      break;
  }
  switch (record.call) {
    case Call::Comm_dup: case Call::Comm_dup_with_info: case Call::Comm_idup:
      return use.rank == parent.rank && use.size == parent.size;
    case Call::Comm_split: case Call::Comm_split_type: case Call::Comm_create:
    case Call::Cart_create: case Call::Cart_sub: case Call::Graph_create:
    case Call::Dist_graph_create: case Call::Dist_graph_create_adjacent:
      return use.size <= parent.size;
    default:  // intercommunicators and spawned processes: anything
      return true;
  }
}

}  // namespace latitude::trace::liballprof
