#pragma once

#include "core/trace/infer/comm_sweep.hpp"

namespace latitude::trace::infer {

/// Decides handles that are ambiguous within their own rank from the facts of the other ranks. True
/// if a handle was decided.
bool break_ties(CommFacts& facts, const std::vector<Ambiguity>& ambiguities);

/// Throws InputError unless merged communicators, which no fact distinguishes, can safely be
/// treated as one. Each rank must use one handle per (direction, peer, tag), and all ranks must
/// call the same collectives in the same order.
void check_merged(const CommFacts& facts);

}  // namespace latitude::trace::infer
