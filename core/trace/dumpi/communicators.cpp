#include "core/trace/dumpi/communicators.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/trace/infer/fail.hpp"

namespace latitude::trace::dumpi {
namespace {

using Ranks = std::vector<std::int32_t>;

struct ByRanks {
  bool operator()(const Members& a, const Members& b) const { return a.ranks() < b.ranks(); }
};

class Resolver {
 public:
  explicit Resolver(std::vector<Log>& logs) : logs_(logs) {
    for (const Log& log : logs) {
      auto& own = made_on_.emplace_back(log.comms.size());
      for (std::uint32_t c = 0; c < log.comms.size(); ++c) {
        const Comm& comm = log.comms[c];
        if (comm.parent != kNothing && !comm.foreign) own[comm.parent].push_back(c);
      }
    }
    Ranks everyone(logs.size());
    std::iota(everyone.begin(), everyone.end(), 0);
    know(everyone, [](std::size_t) { return kWorldLife; });
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(logs.size()); ++rank) {
      know({rank}, [](std::size_t) { return kSelfLife; });
    }
  }

  std::vector<Communicator> run() {
    // The members of a group may become known later than its communicator's parent.
    for (bool news = true; news;) {
      news = false;
      for (std::size_t comm = 0; comm < communicators_.size(); ++comm) news |= make_on(comm);
    }
    return std::move(communicators_);
  }

 private:
  /// One collective call that makes communicators: for each member of the parent, the new
  /// communicator.
  struct Instance {
    std::vector<std::uint32_t> made;
    bool done = false;
  };

  Comm& comm_of(std::int32_t rank, std::uint32_t comm) {
    return logs_[static_cast<std::size_t>(rank)].comms[comm];
  }

  /// Stores that these ranks, in this order, are a communicator; it is at `place_of(i)` of each.
  template <class PlaceOf>
  void know(const Ranks& group, PlaceOf place_of) {
    const auto number = static_cast<std::uint32_t>(communicators_.size());
    communicators_.push_back({group});
    std::vector<const std::vector<std::uint32_t>*> made;
    std::size_t common = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::uint32_t own = place_of(i);
      Comm& comm = comm_of(group[i], own);
      comm.known_as = number;
      comm.place = static_cast<std::int32_t>(i);
      check_shown(group[i], comm, group.size());
      made.push_back(&made_on_[static_cast<std::size_t>(group[i])][own]);
      common = std::min(common, made.back()->size());
    }
    std::vector<Instance>& instances = instances_.emplace_back(common);
    for (std::size_t k = 0; k < common; ++k) {
      for (const auto* own : made) instances[k].made.push_back((*own)[k]);
    }
  }

  void check_shown(std::int32_t rank, const Comm& comm, std::size_t size) const {
    const bool size_differs = comm.size && *comm.size != static_cast<std::int32_t>(size);
    if (!size_differs && (!comm.rank || *comm.rank == comm.place)) return;
    const std::string& file = logs_[static_cast<std::size_t>(rank)].trace.source;
    if (comm.call == Call::count_) {  // a communicator of MPI itself
      throw InputError(size_differs
                           ? file + ": MPI_COMM_WORLD has " + std::to_string(*comm.size) +
                                 " ranks, and " + std::to_string(size) +
                                 " files were given; give the files of one whole run"
                           : file + ": this is the file of rank " + std::to_string(*comm.rank) +
                                 ", given as that of rank " + std::to_string(comm.place) +
                                 "; keep the names that DUMPI gave them");
    }
    infer::fail(file, comm.record,
                std::string(name_of(comm.call)) + " made a communicator in which this rank is " +
                    std::to_string(comm.place) + " of " + std::to_string(size) +
                    ", and MPI_Comm_rank or MPI_Comm_size says otherwise; " + infer::kRetrace);
  }

  /// Finds the communicators made on a communicator, as far as the facts known so far allow; true
  /// if some became known.
  bool make_on(std::size_t parent) {
    bool news = false;
    for (std::size_t k = 0; k < instances_[parent].size(); ++k) {
      if (instances_[parent][k].done) continue;
      const Instance instance = instances_[parent][k];  // instances_ moves when others become known
      const Ranks members = communicators_[parent].group;
      const bool done = make(members, instance.made);
      instances_[parent][k].done = done;
      news |= done;
    }
    return news;
  }

  bool make(const Ranks& members, const std::vector<std::uint32_t>& made) {
    const Comm& first = comm_of(members[0], made[0]);
    for (std::size_t m = 1; m < members.size(); ++m) {
      const Comm& other = comm_of(members[m], made[m]);
      if (other.call == first.call) continue;
      const auto file = [&](std::int32_t rank) {
        return logs_[static_cast<std::size_t>(rank)].trace.source;
      };
      infer::fail(file(members[m]), other.record,
                  std::string(name_of(other.call)) + " meets " + std::string(name_of(first.call)) +
                      " of " + infer::at(file(members[0]), first.record) +
                      " on one communicator; the files are not of one run");
    }
    switch (first.call) {
      case Call::Comm_split:
        split(members, made, [&](std::size_t m) {
          const Comm& own = comm_of(members[m], made[m]);
          return std::pair(own.first, own.second);
        });
        return true;
      case Call::Comm_dup:
        own_sides(members, made);
        know(members, [&](std::size_t m) { return made[m]; });
        return true;
      case Call::Comm_create:
        return create(members, made);
      case Call::Cart_create: {
        std::int64_t size = 1;
        for (const std::int32_t side : first.sides) size *= std::clamp(side, 0, 1 << 20);
        return first_ones(members, made, size);
      }
      case Call::Graph_create:
        return first_ones(members, made, first.second);
      case Call::Cart_sub:
        return subgrids(members, made);
      default:
        return false;
    }
  }

  /// Makes one communicator per colour, ordered by key, then by place; a rank without a colour is
  /// in none.
  template <class ColourAndKey>
  void split(const Ranks& members, const std::vector<std::uint32_t>& made,
             ColourAndKey colour_and_key) {
    std::map<std::int32_t, std::vector<std::size_t>> colours;
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (!comm_of(members[m], made[m]).null) colours[colour_and_key(m).first].push_back(m);
    }
    for (auto& [colour, chosen] : colours) {
      std::ranges::stable_sort(chosen, {}, [&](std::size_t m) { return colour_and_key(m).second; });
      know_chosen(members, made, chosen);
    }
  }

  void know_chosen(const Ranks& members, const std::vector<std::uint32_t>& made,
                   const std::vector<std::size_t>& chosen) {
    Ranks group;
    for (const std::size_t m : chosen) group.push_back(members[m]);
    know(group, [&](std::size_t i) { return made[chosen[i]]; });
  }

  /// A duplicate of a grid is a grid.
  void own_sides(const Ranks& members, const std::vector<std::uint32_t>& made) {
    for (std::size_t m = 0; m < members.size(); ++m) {
      Comm& own = comm_of(members[m], made[m]);
      own.sides = comm_of(members[m], own.parent).sides;
    }
  }

  /// Takes the first members of the parent; or, if the call may have reordered them, the ranks
  /// whose MPI_Comm_rank calls show their new numbers.
  bool first_ones(const Ranks& members, const std::vector<std::uint32_t>& made, std::int64_t size) {
    if (size < 1 || size > static_cast<std::int64_t>(members.size())) return false;
    std::vector<std::size_t> chosen(static_cast<std::size_t>(size));
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    if (comm_of(members[0], made[0]).first != 0) {
      std::map<std::int32_t, std::size_t> shown;
      for (std::size_t m = 0; m < members.size(); ++m) {
        const Comm& own = comm_of(members[m], made[m]);
        if (!own.null && own.rank) shown.emplace(*own.rank, m);
      }
      if (static_cast<std::int64_t>(shown.size()) != size || shown.begin()->first != 0 ||
          shown.rbegin()->first != size - 1) {
        return false;
      }
      std::ranges::transform(shown, chosen.begin(), [](const auto& pair) { return pair.second; });
    }
    know_chosen(members, made, chosen);
    return true;
  }

  bool create(const Ranks& members, const std::vector<std::uint32_t>& made) {
    std::map<Members, std::vector<std::size_t>, ByRanks> by_group;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const Comm& own = comm_of(members[m], made[m]);
      if (own.null) continue;
      const std::optional<Members> group = ranks_of(members[m], own.group);
      if (!group) return false;
      by_group[*group].push_back(m);
    }
    for (const auto& [group, makers] : by_group) {
      std::map<std::int32_t, std::size_t> maker;
      for (const std::size_t m : makers) maker[members[m]] = m;
      std::vector<std::size_t> chosen;
      for (const std::int32_t rank : group) {
        const auto found = maker.find(rank);
        if (found == maker.end()) break;
        chosen.push_back(found->second);
      }
      if (chosen.size() != group.size() || chosen.size() != makers.size()) {
        const Comm& own = comm_of(members[makers[0]], made[makers[0]]);
        infer::fail(logs_[static_cast<std::size_t>(members[makers[0]])].trace.source, own.record,
                    "MPI_Comm_create has a group of " + std::to_string(group.size()) + " ranks, " +
                        std::to_string(makers.size()) +
                        " of which call it with this group; the files are not of one run");
      }
      know_chosen(members, made, chosen);
    }
    return true;
  }

  /// A group as world ranks. Groups are made of others repeatedly, so each group is computed once,
  /// and equal groups of all ranks share their list.
  std::optional<Members> ranks_of(std::int32_t rank, std::uint32_t number, int depth = 0) {
    constexpr int kDeepest = 1000;
    if (number == kNothing || depth > kDeepest) return std::nullopt;
    const auto known = known_groups_.find({rank, number});
    if (known != known_groups_.end()) return known->second;
    std::optional<Ranks> ranks = put_together(rank, number, depth);
    if (!ranks) return std::nullopt;
    const Members members = *lists_.insert(std::move(*ranks)).first;
    known_groups_[{rank, number}] = members;
    return members;
  }

  std::optional<Ranks> put_together(std::int32_t rank, std::uint32_t number, int depth) {
    const Log& log = logs_[static_cast<std::size_t>(rank)];
    const Group& group = log.groups[number];
    if (group.how == Group::How::unknown) return std::nullopt;
    if (group.how == Group::How::empty) return Ranks{};
    if (group.how == Group::How::of_comm) {
      const std::uint32_t known = log.comms[group.first].known_as;
      return known == kNothing ? std::nullopt : std::optional(communicators_[known].group.ranks());
    }
    const std::optional<Members> first = ranks_of(rank, group.first, depth + 1);
    if (!first) return std::nullopt;
    if (group.how == Group::How::incl || group.how == Group::How::excl) {
      std::vector<bool> named(first->size());
      Ranks included;
      for (const std::int32_t i : group.ranks) {
        if (i < 0 || static_cast<std::size_t>(i) >= first->size() ||
            named[static_cast<std::size_t>(i)]) {
          return std::nullopt;
        }
        named[static_cast<std::size_t>(i)] = true;
        included.push_back((*first)[static_cast<std::size_t>(i)]);
      }
      if (group.how == Group::How::incl) return included;
      Ranks rest;
      for (std::size_t i = 0; i < first->size(); ++i) {
        if (!named[i]) rest.push_back((*first)[i]);
      }
      return rest;
    }
    const std::optional<Members> second = ranks_of(rank, group.second, depth + 1);
    if (!second) return std::nullopt;
    const auto in = [](const Members& members, std::int32_t r) {
      return members.place_of(static_cast<std::size_t>(r)).has_value();
    };
    Ranks ranks = *first;
    if (group.how == Group::How::both) {
      for (const std::int32_t r : *second) {
        if (!in(*first, r)) ranks.push_back(r);
      }
      return ranks;
    }
    const bool common = group.how == Group::How::common;
    std::erase_if(ranks, [&](std::int32_t r) { return in(*second, r) != common; });
    return ranks;
  }

  /// Divides a grid by MPI_Cart_sub: ranks that differ only in the remaining dimensions are
  /// together, in the grid's order.
  bool subgrids(const Ranks& members, const std::vector<std::uint32_t>& made) {
    const Comm& first = comm_of(members[0], made[0]);
    const Ranks sides = comm_of(members[0], first.parent).sides;
    const Ranks remain = first.sides;
    std::int64_t size = 1;
    for (const std::int32_t side : sides) {
      if (side < 1 || size > static_cast<std::int64_t>(members.size())) return false;
      size *= side;
    }
    if (sides.empty() || remain.size() != sides.size() ||
        size != static_cast<std::int64_t>(members.size())) {
      return false;
    }
    Ranks kept;
    for (std::size_t d = 0; d < sides.size(); ++d) {
      if (remain[d] != 0) kept.push_back(sides[d]);
    }
    for (std::size_t m = 0; m < members.size(); ++m) comm_of(members[m], made[m]).sides = kept;
    split(members, made, [&](std::size_t m) {
      auto left = static_cast<std::int32_t>(m);  // the last dimension counts fastest
      std::int32_t colour = 0;
      std::int32_t step = 1;
      for (std::size_t d = sides.size(); d-- > 0;) {
        if (remain[d] == 0) {
          colour += left % sides[d] * step;
          step *= sides[d];
        }
        left /= sides[d];
      }
      return std::pair(colour, static_cast<std::int32_t>(m));
    });
    return true;
  }

  std::vector<Log>& logs_;
  std::vector<std::vector<std::vector<std::uint32_t>>> made_on_;  ///< by rank and communicator
  std::vector<Communicator> communicators_;
  std::set<Members, ByRanks> lists_;  ///< members of groups, each list once
  std::map<std::pair<std::int32_t, std::uint32_t>, Members> known_groups_;  ///< by rank and group
  std::vector<std::vector<Instance>> instances_;  ///< by communicator: the communicators made on it
};

}  // namespace

std::vector<Communicator> resolve_communicators(std::vector<Log>& logs) {
  return Resolver(logs).run();
}

}  // namespace latitude::trace::dumpi
