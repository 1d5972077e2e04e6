#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "core/trace/infer/candidates.hpp"
#include "core/trace/infer/comm_state.hpp"

namespace latitude::trace::infer {

/// A handle that more than one creation may have given.
struct Ambiguity {
  std::uint32_t rank;
  std::uint32_t use;
  Candidates creations;
};

/// The creations of one rank so far whose handles are unknown.
class OpenCreations {
 public:
  OpenCreations(const CommFacts& facts, std::uint32_t rank) : facts_(facts), rank_(rank) {}

  void add(std::uint32_t creation) {
    open_.push_back(creation);
    freed_.push(record(creation).freed_line);
  }
  /// Removes a creation that is now bound from the open creations.
  void bound(std::uint32_t creation) {
    if (std::erase(open_, creation) > 0) lists_.clear();
  }

  /// The creations that may have given a handle, oldest first.
  Candidates that_fit(const HandleUse& use) {
    if (!freed_.empty() && freed_.top() < use.first_line) {
      while (!freed_.empty() && freed_.top() < use.first_line) freed_.pop();
      std::erase_if(open_, [&](std::uint32_t c) { return record(c).freed_line < use.first_line; });
      lists_.clear();
    }
    List& list = lists_[{use.rank, use.size}];
    if (!list.fitting) list.fitting = std::make_shared<std::vector<std::uint32_t>>();
    for (; list.looked_at < open_.size(); ++list.looked_at) {
      const std::uint32_t creation = open_[list.looked_at];
      if (facts_.fits(rank_, creation, use)) list.fitting->push_back(creation);
    }
    return {kNothing, list.fitting, list.fitting->size()};
  }

 private:
  struct List {
    std::shared_ptr<std::vector<std::uint32_t>> fitting;  ///< only grows
    std::size_t looked_at = 0;  ///< number of open creations already examined
  };

  const Creation& record(std::uint32_t creation) const {
    return facts_.ranks[rank_].log->creations[creation];
  }

  const CommFacts& facts_;
  std::uint32_t rank_;
  std::vector<std::uint32_t> open_;
  std::map<std::pair<std::int32_t, std::int32_t>, List> lists_;  ///< by the handle's rank and size
  /// Lines at which the creations were freed; bound creations stay in the list.
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> freed_;
};

/// Goes through the handle uses of one rank in the order of time. Binds each use that only one
/// creation may have given, and calls ambiguous(Ambiguity) for the others (creations may be empty).
/// True if a use was bound.
template <class Ambiguous>
bool sweep(CommFacts& facts, std::uint32_t rank, Ambiguous&& ambiguous) {
  RankState& state = facts.ranks[rank];
  const CommLog& log = *state.log;
  const auto freed_between = [&](std::uint32_t from, std::uint32_t to) {
    const auto after = std::ranges::upper_bound(log.unknown_frees, from);
    return after != log.unknown_frees.end() && *after < to;
  };
  bool news = false;
  AddressMap holder;  // handle → its bound creation
  OpenCreations open(facts, rank);
  std::uint32_t made = 0;
  for (std::uint32_t u = 0; u < state.uses.size(); ++u) {
    const HandleUse& use = log.uses[u];
    for (; made < log.creations.size() && log.creations[made].line < use.first_line; ++made) {
      if (state.creations[made].bound) {
        holder.set(state.creations[made].handle, made);
      } else {
        open.add(made);
      }
    }
    const UseState& known =
        state.uses[u];  // communicator known: world, one process, bound, or merged
    if (known.comm != kNothing || known.creation != kNothing) continue;

    Candidates found;
    bool certain = false;
    const std::uint32_t held = holder.find(use.handle);
    const bool holds = held != kNothing && facts.fits(rank, held, use);
    if (holds) {
      // A live communicator keeps its handle. After its last proven use, one of the frees of
      // unknown communicators may have freed it.
      certain = !freed_between(state.creations[held].last_line, use.first_line);
    }
    if (!certain) found = open.that_fit(use);
    if (holds) found.holder = held;
    if (found.size() == 1) {
      const std::uint32_t c = found[0];
      facts.bind(rank, u, c);
      holder.set(use.handle, c);
      open.bound(c);
      news = true;
    } else {
      ambiguous({rank, u, std::move(found)});
    }
  }
  return news;
}

}  // namespace latitude::trace::infer
