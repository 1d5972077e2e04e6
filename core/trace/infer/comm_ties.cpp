#include "core/trace/infer/comm_ties.hpp"

#include <map>
#include <optional>
#include <set>

namespace latitude::trace::infer {
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
        const std::uint64_t call =
            static_cast<std::uint64_t>(e.call) << 32 | static_cast<std::uint32_t>(e.peer);
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

  bool run() { return by_collectives() || by_ascending_integers() || by_merging(); }

 private:
  const CreationState& state(const Ambiguity& a, std::uint32_t creation) const {
    return facts_.ranks[a.rank].creations[creation];
  }
  const HandleUse& use(const Ambiguity& a) const { return facts_.logs[a.rank].comms.uses[a.use]; }
  bool all_known(const Ambiguity& a) const {
    return std::ranges::all_of(
        a.creations, [&](std::uint32_t c) { return state(a, c).outcome == Outcome::known; });
  }
  bool decided(const Ambiguity& a) const {
    const UseState& s = facts_.ranks[a.rank].uses[a.use];
    return s.comm != kNothing || s.creation != kNothing;
  }

  /// Candidates that nothing excludes.
  template <class Excluded>
  std::vector<std::uint32_t> left_of(const Ambiguity& a, Excluded&& excluded) const {
    std::vector<std::uint32_t> left;
    for (const std::uint32_t c : a.creations) {
      const bool taken = state(a, c).bound && state(a, c).handle != use(a).handle;
      if (!taken && !excluded(c)) left.push_back(c);
    }
    return left;
  }

  /// All members call the same collectives in the same order: a member whose handle is proven and
  /// that called others excludes the candidate.
  bool by_collectives() {
    bool news = false;
    for (const Ambiguity& a : ambiguities_) {
      if (decided(a) || !all_known(a)) continue;
      const auto left = left_of(a, [&](std::uint32_t c) { return called_others(a, c); });
      if (left.size() != 1) continue;
      facts_.bind(a.rank, a.use, left[0]);
      news = true;
    }
    return news;
  }

  bool called_others(const Ambiguity& a, std::uint32_t creation) {
    if (!sequences_) sequences_.emplace(facts_);
    const std::uint64_t mine = (*sequences_)(a.rank, a.use);
    const std::uint64_t theirs = sequence_on(state(a, creation).comm);
    return mine != 0 && theirs != 0 && mine != theirs;
  }

  std::uint64_t sequence_on(std::uint32_t comm) const {
    std::uint64_t hash = 0;
    facts_.for_each_maker(comm, [&](std::uint32_t rank, const CreationState& s) {
      if (hash == 0 && s.uses.size() == 1) hash = (*sequences_)(rank, s.uses[0]);
    });
    return hash;
  }

  /// Open MPI and MPICH give a process ascending integers as handles until it frees one. So before
  /// that, handles stand in the order of the calls that made them.
  bool by_ascending_integers() {
    bool news = false;
    // (rank, candidates) → handle → its uses: as many handles as candidates are in their order
    std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>,
             std::map<std::uint64_t, std::vector<std::uint32_t>>>
        alike;
    for (const Ambiguity& a : ambiguities_) {
      if (decided(a) || !all_known(a) || !ascends(a)) continue;
      const auto left =
          left_of(a, [&](std::uint32_t c) { return called_others(a, c) || out_of_order(a, c); });
      if (left.size() == 1) {
        facts_.bind(a.rank, a.use, left[0]);
        news = true;
      }
      alike[{a.rank, left}][use(a).handle].push_back(a.use);
    }
    if (news) return true;  // the others are to be seen in this light
    for (const auto& [key, handles] : alike) {
      if (handles.size() != key.second.size()) continue;
      auto creation = key.second.begin();
      for (const auto& [handle, uses] : handles) {
        for (const std::uint32_t u : uses) facts_.bind(key.first, u, *creation);
        ++creation;
        news = true;
      }
    }
    return news;
  }

  bool ascends(const Ambiguity& a) const {
    const CommLog& log = facts_.logs[a.rank].comms;
    if (!is_integer(use(a).handle) || use(a).first_line > log.first_free) return false;
    std::uint64_t last = 0;
    for (std::size_t c = 0; c < log.creations.size(); ++c) {
      const CreationState& s = facts_.ranks[a.rank].creations[c];
      if (!s.bound || log.creations[c].line > log.first_free) continue;
      if (s.handle <= last) return false;
      last = s.handle;
    }
    return true;
  }

  bool out_of_order(const Ambiguity& a, std::uint32_t creation) const {
    const std::vector<CreationState>& all = facts_.ranks[a.rank].creations;
    for (std::uint32_t c = 0; c < all.size(); ++c) {
      if (!all[c].bound || c == creation ||
          facts_.logs[a.rank].comms.creations[c].line > use(a).first_line) {
        continue;
      }
      if ((c < creation) != (all[c].handle < use(a).handle)) return true;
    }
    return false;
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
  std::optional<CollectiveSequences> sequences_;
};

}  // namespace

bool break_ties(CommFacts& facts, const std::vector<Ambiguity>& ambiguities) {
  return TieBreaker(facts, ambiguities).run();
}

}  // namespace latitude::trace::infer
