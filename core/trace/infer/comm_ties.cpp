#include "core/trace/infer/comm_ties.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

namespace latitude::trace::infer {
namespace {

bool is_integer(std::uint64_t handle) { return handle >> 31 == 0 || handle >> 31 == 0x1ffffffff; }

/// Hash of the collectives called through each handle use of each rank, in their order; 0 if a use
/// is only part of a communicator's life, or saw no collective.
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

/// Ambiguities may have a thousand candidates each, mostly the same, so results for a list are kept
/// for the next ambiguity.
class TieBreaker {
 public:
  TieBreaker(CommFacts& facts, const std::vector<Ambiguity>& ambiguities)
      : facts_(facts), ambiguities_(ambiguities), sequence_on_(facts.comms.size()) {}

  bool run() { return by_collectives() || by_ascending_integers() || by_merging(); }

 private:
  using Creations = std::vector<std::uint32_t>;

  const CreationState& state(const Ambiguity& a, std::uint32_t creation) const {
    return facts_.ranks[a.rank].creations[creation];
  }
  const HandleUse& use(const Ambiguity& a) const { return facts_.logs[a.rank].comms.uses[a.use]; }
  bool decided(const Ambiguity& a) const {
    const UseState& s = facts_.ranks[a.rank].uses[a.use];
    return s.comm != kNothing || s.creation != kNothing;
  }
  bool all_known(const Ambiguity& a) {
    const auto known = [&](std::uint32_t c) { return state(a, c).outcome == Outcome::known; };
    if (a.creations.holder != kNothing && !known(a.creations.holder)) return false;
    const auto listed = a.creations.listed();
    std::size_t& all = known_of_[a.creations.list.get()];
    while (all < listed.size() && known(listed[all])) ++all;
    return all >= listed.size();
  }

  void bind(std::uint32_t rank, std::uint32_t use, std::uint32_t creation) {
    facts_.bind(rank, use, creation);
    ++binds_;
    const std::uint32_t comm = facts_.ranks[rank].creations[creation].comm;
    if (comm != kNothing) sequence_on_[comm].reset();
  }

  /// The creations of a rank whose handles are known.
  struct Bound {
    std::uint32_t rank = kNothing;
    std::size_t binds = 0;  ///< number of bindings at the time of this state
    Creations creations;    ///< ascending
    bool ascends = false;   ///< before the first free, their handles ascend, too
  };
  /// The data on which the remaining candidates of an ambiguity depend.
  struct Asked {
    std::uint32_t rank = kNothing;
    std::uint32_t holder = kNothing;
    const void* list = nullptr;
    std::size_t count = 0;
    std::size_t binds = 0;
    std::uint64_t sequence = 0;
    std::uint32_t after = kNothing;   ///< creations up to this one got lower handles
    std::uint32_t before = kNothing;  ///< creations beyond this one got higher handles
    bool operator==(const Asked&) const = default;
  };

  Asked asked(const Ambiguity& a) {
    if (!sequences_) sequences_.emplace(facts_);
    return {.rank = a.rank,
            .holder = a.creations.holder,
            .list = a.creations.list.get(),
            .count = a.creations.count,
            .binds = binds_,
            .sequence = (*sequences_)(a.rank, a.use)};
  }

  /// The candidates that no fact excludes. Valid until the next call.
  const Creations& left_of(const Ambiguity& a, const Asked& asked) {
    if (asked == asked_) return left_;
    bool depends_on_handle = false;
    left_.clear();
    for (std::size_t i = 0; i < a.creations.size(); ++i) {
      const std::uint32_t c = a.creations[i];
      const CreationState& creation = state(a, c);
      depends_on_handle |= creation.bound;
      if (creation.bound && creation.handle != use(a).handle) continue;
      if (asked.after != kNothing && c <= asked.after) continue;
      if (asked.before != kNothing && c > asked.before) continue;
      if (!called_others(asked.sequence, creation.comm)) left_.push_back(c);
    }
    asked_ = depends_on_handle ? Asked{} : asked;
    return left_;
  }

  /// All members call the same collectives in the same order. A member whose proven handle called
  /// other collectives therefore excludes the candidate.
  bool by_collectives() {
    bool news = false;
    for (const Ambiguity& a : ambiguities_) {
      if (decided(a) || !all_known(a)) continue;
      const Creations& left = left_of(a, asked(a));
      if (left.size() != 1) continue;
      bind(a.rank, a.use, left[0]);
      news = true;
    }
    return news;
  }

  bool called_others(std::uint64_t mine, std::uint32_t comm) {
    if (mine == 0) return false;
    std::optional<std::uint64_t>& theirs = sequence_on_[comm];
    if (!theirs) theirs = sequence_on(comm);
    return *theirs != 0 && mine != *theirs;
  }

  std::uint64_t sequence_on(std::uint32_t comm) const {
    std::uint64_t hash = 0;
    facts_.any_maker(comm, [&](std::uint32_t rank, const CreationState& s) {
      if (s.uses.size() == 1) hash = (*sequences_)(rank, s.uses[0]);
      return hash != 0;
    });
    return hash;
  }

  /// Open MPI and MPICH give a process ascending integers as handles until its first free. Until
  /// then, handles have the order of the calls that made them.
  bool by_ascending_integers() {
    bool news = false;
    // (rank, candidates) → handle → its uses: if there are as many handles as candidates, both have
    // the same order
    using Handles = std::map<std::uint64_t, std::vector<std::uint32_t>>;
    std::map<std::pair<std::uint32_t, Creations>, Handles> alike;
    Handles* latest = nullptr;
    for (const Ambiguity& a : ambiguities_) {
      if (decided(a) || !all_known(a) || !ascends(a)) continue;
      Asked asked_now = asked(a);
      set_order(a, asked_now);
      const bool same = asked_now == asked_;
      const Creations& left = left_of(a, asked_now);
      if (left.size() == 1) {
        bind(a.rank, a.use, left[0]);
        news = true;
      }
      if (news) continue;
      if (!same || latest == nullptr) latest = &alike[{a.rank, left}];
      (*latest)[use(a).handle].push_back(a.use);
    }
    if (news) return true;  // this changes the state of the other ambiguities
    for (const auto& [key, handles] : alike) {
      if (handles.size() != key.second.size()) continue;
      auto creation = key.second.begin();
      for (const auto& [handle, uses] : handles) {
        for (const std::uint32_t u : uses) bind(key.first, u, *creation);
        ++creation;
        news = true;
      }
    }
    return news;
  }

  bool ascends(const Ambiguity& a) {
    const CommLog& log = facts_.logs[a.rank].comms;
    if (!is_integer(use(a).handle) || use(a).first_line > log.first_free) return false;
    return bound_of(a.rank).ascends;
  }

  const Bound& bound_of(std::uint32_t rank) {
    if (bound_.rank == rank && bound_.binds == binds_) return bound_;
    bound_ = {.rank = rank, .binds = binds_, .creations = {}, .ascends = true};
    const CommLog& log = facts_.logs[rank].comms;
    const std::vector<CreationState>& all = facts_.ranks[rank].creations;
    std::uint64_t last = 0;
    for (std::uint32_t c = 0; c < all.size(); ++c) {
      if (!all[c].bound || log.creations[c].line > log.first_free) continue;
      bound_.ascends &= all[c].handle > last;
      last = all[c].handle;
      bound_.creations.push_back(c);
    }
    return bound_;
  }

  /// Sets the place of an ascending handle's creation among those with known handles.
  void set_order(const Ambiguity& a, Asked& to) {
    const CommLog& log = facts_.logs[a.rank].comms;
    const Creations& bound = bound_of(a.rank).creations;
    const auto line_of = [&](std::uint32_t c) { return log.creations[c].line; };
    const auto handle_of = [&](std::uint32_t c) { return state(a, c).handle; };
    const auto end = std::ranges::upper_bound(bound, use(a).first_line, {}, line_of);
    const auto next = std::ranges::lower_bound(bound.begin(), end, use(a).handle, {}, handle_of);
    if (next != bound.begin()) to.after = *std::prev(next);
    if (next != end) to.before = *next;
  }

  /// Communicators of one group whose handles some rank cannot distinguish.
  struct Class {
    std::vector<std::uint32_t> comms;  ///< ascending
    std::vector<const Ambiguity*> ambiguities;
  };

  /// Joined sets of communicators; the lowest one is the name of a set.
  class Joined {
   public:
    explicit Joined(std::size_t comms) : above_(comms) {
      std::iota(above_.begin(), above_.end(), 0U);
    }
    std::uint32_t of(std::uint32_t comm) {
      while (above_[comm] != comm) comm = above_[comm] = above_[above_[comm]];
      return comm;
    }
    void join(std::uint32_t a, std::uint32_t b) {
      a = of(a);
      b = of(b);
      above_[std::max(a, b)] = std::min(a, b);
    }

   private:
    std::vector<std::uint32_t> above_;
  };

  std::vector<Class> congruence_classes() {
    struct Prefix {
      std::size_t alike =
          0;  ///< number of leading entries of the list whose group is the first one's
      std::size_t joined = 0;  ///< number of joined entries
    };
    Joined joined(facts_.comms.size());
    std::map<const void*, Prefix> of_list;
    std::vector<std::pair<std::uint32_t, const Ambiguity*>>
        found;  // ambiguity with one of its communicators
    std::vector<bool> concerned(facts_.comms.size());
    for (const Ambiguity& a : ambiguities_) {
      if (decided(a) || !all_known(a)) continue;
      const auto comm_of = [&](std::uint32_t c) { return facts_.root(state(a, c).comm); };
      const std::uint32_t first = comm_of(a.creations[0]);
      const auto alike = [&](std::uint32_t c) {
        return *facts_.comms[comm_of(c)].group == *facts_.comms[first].group;
      };
      const auto listed = a.creations.listed();
      Prefix& prefix = of_list[a.creations.list.get()];
      if (!listed.empty() && !alike(listed[0])) continue;
      while (prefix.alike < listed.size() && alike(listed[prefix.alike])) ++prefix.alike;
      if (prefix.alike < listed.size()) continue;
      for (; prefix.joined < listed.size(); ++prefix.joined) {
        const std::uint32_t comm = comm_of(listed[prefix.joined]);
        joined.join(comm, comm_of(listed[0]));
        concerned[comm] = true;
      }
      if (!listed.empty()) joined.join(first, comm_of(listed[0]));
      concerned[first] = true;
      found.emplace_back(first, &a);
    }
    std::map<std::uint32_t, Class> classes;
    for (const auto& [comm, ambiguity] : found) {
      classes[joined.of(comm)].ambiguities.push_back(ambiguity);
    }
    for (std::uint32_t comm = 0; comm < concerned.size(); ++comm) {
      const auto of = classes.find(joined.of(comm));
      if (concerned[comm] && of != classes.end()) of->second.comms.push_back(comm);
    }
    std::vector<Class> result;
    for (auto& [name, one] : classes) result.push_back(std::move(one));
    return result;
  }

  bool by_merging() {
    bool news = false;
    for (const Class& one : congruence_classes()) {
      const std::uint32_t first = one.comms.front();
      for (const std::uint32_t comm : one.comms) facts_.merge(first, comm);
      for (const Ambiguity* a : one.ambiguities) facts_.assign(a->rank, a->use, first);
      news = true;
    }
    return news;
  }

  CommFacts& facts_;
  const std::vector<Ambiguity>& ambiguities_;
  std::optional<CollectiveSequences> sequences_;
  std::vector<std::optional<std::uint64_t>> sequence_on_;  ///< by communicator, if known
  std::unordered_map<const void*, std::size_t> known_of_;  ///< by list: number of known entries
  std::size_t binds_ = 1;
  Bound bound_;
  Asked asked_;  ///< the list from which `left_` was computed
  Creations left_;
};

}  // namespace

bool break_ties(CommFacts& facts, const std::vector<Ambiguity>& ambiguities) {
  return TieBreaker(facts, ambiguities).run();
}

}  // namespace latitude::trace::infer
