#include "core/trace/liballprof/comm_ties.hpp"

#include <map>
#include <optional>
#include <set>

namespace latitude::trace::liballprof {
namespace {

bool is_integer(std::uint64_t handle) { return handle >> 31 == 0 || handle >> 31 == 0x1ffffffff; }

/// Hash of the collectives called through each handle use of each rank, in their order; 0 where a
/// use is only part of a communicator's life, or saw no collective.
class CollectiveSequences {
 public:
  explicit CollectiveSequences(const CommFacts& facts) {
    for (const RankLog& log : facts.logs) {
      std::vector<std::uint64_t>& hashes = of_.emplace_back(log.comms.uses.size());
      for (const Event& e : log.trace.events) {
        const CallClass c = class_of(e.call);
        if (c != CallClass::collective && c != CallClass::icollective) continue;
        const std::uint64_t call = static_cast<std::uint64_t>(e.call) << 32 |
                                   static_cast<std::uint32_t>(e.peer);
        std::uint64_t& hash = hashes[e.comm];
        hash = (hash ^ (call + 1)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
      }
      std::map<std::uint64_t, std::uint32_t> latest;
      for (std::uint32_t u = 0; u < hashes.size(); ++u) {
        const auto [entry, first] = latest.try_emplace(log.comms.uses[u].handle, u);
        if (!first && log.comms.uses[u].continues) hashes[u] = hashes[entry->second] = 0;
        entry->second = u;
      }
    }
  }
  std::uint64_t operator()(std::uint32_t rank, std::uint32_t use) const { return of_[rank][use]; }

 private:
  std::vector<std::vector<std::uint64_t>> of_;
};

class TieBreaker {
 public:
  TieBreaker(CommFacts& facts, const std::vector<Ambiguity>& ambiguities)
      : facts_(facts), ambiguities_(ambiguities) {}

  bool run() {
    return by_equal_integers() || by_collectives() || by_common_integers() || by_merging();
  }

 private:
  const CreationState& state(const Ambiguity& a, std::uint32_t creation) const {
    return facts_.ranks[a.rank].creations[creation];
  }
  const HandleUse& use(const Ambiguity& a) const { return facts_.logs[a.rank].comms.uses[a.use]; }
  bool all_known(const Ambiguity& a) const {
    return std::ranges::all_of(a.creations, [&](std::uint32_t c) {
      return state(a, c).outcome == Outcome::known;
    });
  }
  bool decided(const Ambiguity& a) const {
    const UseState& s = facts_.ranks[a.rank].uses[a.use];
    return s.comm != kNothing || s.creation != kNothing;
  }

  /// Binds where all candidates but one are excluded.
  template <class Excluded>
  bool bind_by(Excluded&& excluded) {
    bool news = false;
    for (const Ambiguity& a : ambiguities_) {
      if (decided(a) || !all_known(a)) continue;
      std::vector<std::uint32_t> left;
      for (const std::uint32_t c : a.creations) {
        const bool taken = state(a, c).bound && state(a, c).handle != use(a).handle;
        if (!taken && !excluded(a, c)) left.push_back(c);
      }
      if (left.size() != 1) continue;
      facts_.bind(a.rank, a.use, left[0]);
      news = true;
    }
    return news;
  }

  /// Integer handles are given out in the same order everywhere: where all ranks whose handle is
  /// proven have the same integer for one collective call, it stands for that call here too.
  bool by_equal_integers() {
    return bind_by([&](const Ambiguity& a, std::uint32_t c) {
      const std::optional<std::uint64_t> proven = common_handle(state(a, c).instance);
      return !proven || *proven != use(a).handle;
    });
  }

  /// The integer that at least two ranks have as handle of what one call made, and no rank not.
  std::optional<std::uint64_t> common_handle(std::uint32_t index) {
    const auto [entry, fresh] = common_.try_emplace(index);
    if (!fresh) return entry->second;
    const Instance& instance = facts_.instances[index];
    const std::vector<std::int32_t>& group = *facts_.comms[instance.parent].group;
    std::multiset<std::uint64_t> handles;
    for (std::size_t m = 0; m < group.size(); ++m) {
      const CreationState& s =
          facts_.ranks[static_cast<std::size_t>(group[m])].creations[instance.creations[m]];
      if (s.bound) handles.insert(s.handle);
    }
    if (handles.size() >= 2 && *handles.begin() == *handles.rbegin() &&
        is_integer(*handles.begin())) {
      entry->second = *handles.begin();
    }
    return entry->second;
  }

  /// All members call the same collectives in the same order: a member whose handle is proven and
  /// that called others excludes the candidate.
  bool by_collectives() {
    if (std::ranges::none_of(ambiguities_, [&](const Ambiguity& a) { return all_known(a); })) {
      return false;
    }
    if (!sequences_) sequences_.emplace(facts_);
    return bind_by([&](const Ambiguity& a, std::uint32_t c) {
      const std::uint64_t mine = (*sequences_)(a.rank, a.use);
      const std::uint64_t theirs = sequence_on(state(a, c).comm);
      return mine != 0 && theirs != 0 && mine != theirs;
    });
  }

  std::uint64_t sequence_on(std::uint32_t comm) const {
    std::uint64_t hash = 0;
    facts_.for_each_maker(comm, [&](std::uint32_t rank, const CreationState& s) {
      if (hash == 0 && s.uses.size() == 1) hash = (*sequences_)(rank, s.uses[0]);
    });
    return hash;
  }

  /// Communicators of one and the same group, of which some rank cannot tell the handles apart.
  struct Class {
    std::set<std::uint32_t> comms;
    std::vector<const Ambiguity*> ambiguities;
  };

  std::vector<Class> congruence_classes() const {
    std::vector<Class> classes;
    for (const Ambiguity& a : ambiguities_) {
      if (decided(a) || !all_known(a)) continue;
      std::set<std::uint32_t> comms;
      for (const std::uint32_t c : a.creations) comms.insert(facts_.root(state(a, c).comm));
      const auto& group = *facts_.comms[*comms.begin()].group;
      if (std::ranges::any_of(comms, [&](auto c) { return *facts_.comms[c].group != group; })) {
        continue;
      }
      Class joined{std::move(comms), {&a}};
      std::erase_if(classes, [&](Class& other) {
        if (std::ranges::none_of(other.comms, [&](auto c) { return joined.comms.contains(c); })) {
          return false;
        }
        joined.comms.merge(other.comms);
        joined.ambiguities.insert(joined.ambiguities.end(), other.ambiguities.begin(),
                                  other.ambiguities.end());
        return true;
      });
      classes.push_back(std::move(joined));
    }
    return classes;
  }

  /// Every member has the same integers as handles: equal integers are one communicator. Which
  /// of the congruent calls made it does not matter, so they are bound in order.
  bool by_common_integers() {
    bool news = false;
    for (const Class& one : congruence_classes()) {
      Proven proven;
      if (!same_integers_everywhere(one, proven)) continue;
      std::map<std::uint64_t, std::vector<const Ambiguity*>> open;
      for (const Ambiguity* a : one.ambiguities) open[use(*a).handle].push_back(a);
      std::set<std::uint32_t> left = one.comms;
      for (const auto& known : proven) left.erase(known.second);
      for (const auto& entry : open) {
        const std::vector<const Ambiguity*>& uses = entry.second;
        const auto fits = [&](std::uint32_t comm) {
          return std::ranges::all_of(
              uses, [&](const Ambiguity* a) { return creation_of(*a, comm) != kNothing; });
        };
        const auto known = proven.find(entry.first);
        const auto next = std::ranges::find_if(left, fits);
        if (known == proven.end() ? next == left.end() : !fits(known->second)) break;
        const std::uint32_t comm = known == proven.end() ? *next : known->second;
        for (const Ambiguity* a : uses) facts_.bind(a->rank, a->use, creation_of(*a, comm));
        left.erase(comm);
        news = true;
      }
    }
    return news;
  }

  using Proven = std::map<std::uint64_t, std::uint32_t>;  // handle → communicator

  bool same_integers_everywhere(const Class& one, Proven& proven) const {
    std::map<std::uint32_t, std::set<std::uint64_t>> handles;  // rank → its handles
    bool clash = false;
    for (const Ambiguity* a : one.ambiguities) handles[a->rank].insert(use(*a).handle);
    for (const std::uint32_t comm : one.comms) {
      clash |= facts_.comms[comm].merged;
      facts_.for_each_maker(comm, [&](std::uint32_t rank, const CreationState& s) {
        if (!s.bound) return;
        handles[rank].insert(s.handle);
        clash |= proven.try_emplace(s.handle, comm).first->second != comm;
      });
    }
    const std::set<std::uint64_t>& common = handles.begin()->second;
    return !clash && std::ranges::all_of(common, is_integer) &&
           handles.size() == facts_.comms[*one.comms.begin()].group->size() &&
           std::ranges::all_of(handles, [&](const auto& h) { return h.second == common; });
  }

  /// The candidate that made `comm`.
  std::uint32_t creation_of(const Ambiguity& a, std::uint32_t comm) const {
    for (const std::uint32_t c : a.creations) {
      const bool taken = state(a, c).bound && state(a, c).handle != use(a).handle;
      if (state(a, c).comm == comm && !taken) return c;
    }
    return kNothing;
  }

  bool by_merging() {
    bool news = false;
    for (const Class& one : congruence_classes()) {
      const std::uint32_t first = *one.comms.begin();
      for (const std::uint32_t comm : one.comms) facts_.merge(first, comm);
      for (const Ambiguity* a : one.ambiguities) facts_.assign(a->rank, a->use, first);
      news = true;
    }
    return news;
  }

  CommFacts& facts_;
  const std::vector<Ambiguity>& ambiguities_;
  std::map<std::uint32_t, std::optional<std::uint64_t>> common_;
  std::optional<CollectiveSequences> sequences_;
};

}  // namespace

bool break_ties(CommFacts& facts, const std::vector<Ambiguity>& ambiguities) {
  return TieBreaker(facts, ambiguities).run();
}

}  // namespace latitude::trace::liballprof
