#pragma once

#include "core/trace/infer/comm_sweep.hpp"

namespace latitude::trace::infer {

/// Decides handles that are ambiguous within their own rank from the facts of the other ranks. True
/// if a handle was decided.
bool break_ties(CommFacts& facts, const std::vector<Ambiguity>& ambiguities);

/// Throws InputError unless every two communicators that were merged, because no fact distinguishes
/// them, can safely be treated as one: each rank uses one handle per (direction, peer, tag), and
/// all call the same collectives in the same order.
void check_merged(const CommFacts& facts);

}  // namespace latitude::trace::infer
