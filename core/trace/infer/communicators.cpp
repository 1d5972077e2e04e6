#include "core/trace/infer/communicators.hpp"

#include "core/trace/infer/comm_ties.hpp"
#include "core/trace/infer/fail.hpp"

namespace latitude::trace::infer {
namespace {

std::string made_in(const Creation& creation) {
  return "the " + std::string(name_of(creation.call)) + " in line " + std::to_string(creation.line);
}

std::string reason(const CommFacts& facts, const Ambiguity& a) {
  const RankState& rank = facts.ranks[a.rank];
  const std::uint32_t bound = rank.uses[a.use].creation;
  if (bound != kNothing) {
    const Creation& creation = rank.log->creations[bound];
    switch (rank.creations[bound].outcome) {
      case Outcome::unknown:
        return made_in(creation) + " made it, but not all ranks show a call that matches";
      case Outcome::known:
      case Outcome::none:
        return made_in(creation) + " is the only one that could have made it, but did not";
      default:
        break;
    }
    return made_in(creation) +
           " made it, and neither records its members nor do all of them "
           "show their rank in it";
  }
  if (a.creations.empty()) return "no call before made a communicator of that rank and size";
  if (a.creations.size() == 1) return made_in(rank.log->creations[a.creations[0]]) + " did not";
  return made_in(rank.log->creations[a.creations[0]]) + " or " +
         made_in(rank.log->creations[a.creations[1]]) + " may have made it";
}

[[noreturn]] void refuse(const CommFacts& facts, const Ambiguity& a) {
  const RankTrace& trace = facts.logs[a.rank].trace;
  const HandleUse& use = facts.logs[a.rank].comms.uses[a.use];
  std::string who = at(trace.source, use.first_line) + ":";
  for (const Event& e : trace.events) {
    if (e.comm == a.use) {
      who = where(trace, e);
      break;
    }
  }
  throw InputError(who + " uses communicator " + std::to_string(use.handle) + " (rank " +
                   std::to_string(use.rank) + " of " + std::to_string(use.size) +
                   "), whose processes this format does not prove: " + reason(facts, a) + "; " +
                   kRetrace);
}

void refuse_unproven(CommFacts& facts) {
  for (std::uint32_t r = 0; r < facts.ranks.size(); ++r) {
    const std::vector<UseState>& uses = facts.ranks[r].uses;
    for (std::uint32_t u = 0; u < uses.size(); ++u) {
      if (uses[u].comm != kNothing || !facts.logs[r].comms.uses[u].in_event) continue;
      Ambiguity found{r, u, {}};
      sweep(facts, r, [&](Ambiguity&& a) {
        if (a.use == u) found = std::move(a);
      });
      refuse(facts, found);
    }
  }
}

}  // namespace

Communicators resolve_communicators(const std::vector<RankLog>& logs) {
  CommFacts facts(logs);
  std::vector<Ambiguity> ambiguities;
  do {
    bool news = true;
    while (news) {
      facts.deduce();
      ambiguities.clear();
      news = false;
      for (std::uint32_t r = 0; r < logs.size(); ++r) {
        news |= sweep(facts, r, [&](Ambiguity&& a) {
          if (!a.creations.empty() && logs[r].comms.uses[a.use].in_event) {
            ambiguities.push_back(std::move(a));
          }
        });
      }
    }
  } while (break_ties(facts, ambiguities));
  refuse_unproven(facts);
  check_merged(facts);

  Communicators result;
  std::vector<std::uint32_t> index(facts.comms.size(), kNothing);
  const auto number = [&](std::uint32_t comm) {
    if (index[comm] == kNothing) {
      index[comm] = static_cast<std::uint32_t>(result.communicators.size());
      result.communicators.push_back({*facts.comms[comm].group});
    }
    return index[comm];
  };
  number(kWorldComm);
  for (std::size_t r = 0; r < logs.size(); ++r) {
    auto& of_use = result.of_use.emplace_back(facts.ranks[r].uses.size(), kNothing);
    for (std::size_t u = 0; u < of_use.size(); ++u) {
      const std::uint32_t comm = facts.ranks[r].uses[u].comm;
      if (comm != kNothing && logs[r].comms.uses[u].in_event) of_use[u] = number(facts.root(comm));
    }
  }
  for (const RankState& rank : facts.ranks) {
    auto& of_creation = result.of_creation.emplace_back();
    for (const CreationState& c : rank.creations) {
      of_creation.push_back(c.outcome == Outcome::known ? index[facts.root(c.comm)] : kNothing);
    }
  }
  return result;
}

}  // namespace latitude::trace::infer
