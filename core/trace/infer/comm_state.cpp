#include "core/trace/infer/comm_state.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/trace/infer/fail.hpp"

namespace latitude::trace::infer {

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

/// Adds the world, by its handle, and communicators of one process, whose group is evident.
void CommFacts::seed(std::uint32_t rank) {
  const CommLog& log = *ranks[rank].log;
  const std::string& file = logs[rank].trace.source;
  std::uint32_t world = log.world;
  if (world != kNothing) {
    const HandleUse& use = log.uses[world];
    if (static_cast<std::size_t>(use.size) != ranks.size()) {
      fail(file, use.first_line,
           "MPI_COMM_WORLD has " + std::to_string(use.size) + " processes, but " +
               std::to_string(ranks.size()) +
               " trace files were given; give the file of every "
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
    ranks[rank].uses[u].comm = self;  // communicators made on it have one process too: no matching
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
         std::string(name_of(late.call)) +
             " is called on a communicator that this file does not "
             "tell from others in time; " +
             kRetrace);
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
  // Once a match was made on either communicator, the order on both together is lost.
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

bool CommFacts::fits(std::uint32_t rank, std::uint32_t creation, const HandleUse& use) const {
  const CreationState& state = ranks[rank].creations[creation];
  const Creation& record = ranks[rank].log->creations[creation];
  const HandleUse& parent = ranks[rank].log->uses[record.parent];
  if (record.line >= use.first_line || record.freed_line < use.first_line) return false;
  if (state.bound) {
    const HandleUse& other = ranks[rank].log->uses[state.uses.front()];
    if (other.rank != use.rank || other.size != use.size) return false;
  }
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
    case Call::Comm_dup:
    case Call::Comm_dup_with_info:
    case Call::Comm_idup:
      return use.rank == parent.rank && use.size == parent.size;
    case Call::Comm_split:
    case Call::Comm_split_type:
    case Call::Comm_create:
    case Call::Cart_create:
    case Call::Cart_sub:
    case Call::Graph_create:
    case Call::Dist_graph_create:
    case Call::Dist_graph_create_adjacent:
      return use.size <= parent.size;
    default:  // intercommunicators and spawned processes: anything
      return true;
  }
}

}  // namespace latitude::trace::infer
