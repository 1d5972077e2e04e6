#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/trace/infer/comm_state.hpp"

namespace latitude::trace::infer {

/// A handle that more than one creation can have given.
struct Ambiguity {
  std::uint32_t rank;
  std::uint32_t use;
  std::vector<std::uint32_t> creations;
};

/// Goes through the handle uses of one rank in the order of time and binds each that only one
/// creation can have given. Calls ambiguous(Ambiguity) for the others (creations may be empty).
/// True when something was bound.
template <class Ambiguous>
bool sweep(CommFacts& facts, std::uint32_t rank, Ambiguous&& ambiguous) {
  RankState& state = facts.ranks[rank];
  const CommLog& log = *state.log;
  const auto freed_between = [&](std::uint32_t from, std::uint32_t to) {
    const auto after = std::ranges::upper_bound(log.unknown_frees, from);
    return after != log.unknown_frees.end() && *after < to;
  };
  bool news = false;
  AddressMap holder;                // handle → the creation that it is bound to
  std::vector<std::uint32_t> open;  // creations so far whose handle is not known
  std::uint32_t made = 0;
  for (std::uint32_t u = 0; u < state.uses.size(); ++u) {
    const HandleUse& use = log.uses[u];
    for (; made < log.creations.size() && log.creations[made].line < use.first_line; ++made) {
      if (state.creations[made].bound) {
        holder.set(state.creations[made].handle, made);
      } else {
        open.push_back(made);
      }
    }
    const UseState& known = state.uses[u];  // world, one process, bound, or merged
    if (known.comm != kNothing || known.creation != kNothing) continue;

    Ambiguity found{rank, u, {}};
    bool certain = false;
    if (const std::uint32_t held = holder.find(use.handle);
        held != kNothing && facts.fits(rank, held, use)) {
      // A live communicator keeps its handle; after its last proven use, one of the frees that we
      // cannot name may have been its.
      found.creations.push_back(held);
      certain = !freed_between(state.creations[held].last_line, use.first_line);
    }
    if (!certain) {
      std::erase_if(open, [&](std::uint32_t c) {
        return state.creations[c].bound || log.creations[c].freed_line < use.first_line;
      });
      for (const std::uint32_t c : open) {
        if (facts.fits(rank, c, use)) found.creations.push_back(c);
      }
    }
    if (found.creations.size() == 1) {
      const std::uint32_t c = found.creations.front();
      facts.bind(rank, u, c);
      holder.set(use.handle, c);
      news = true;
    } else {
      ambiguous(std::move(found));
    }
  }
  return news;
}

}  // namespace latitude::trace::infer
