#pragma once

#include "core/trace/infer/comm_sweep.hpp"

namespace latitude::trace::infer {

/// Decides handles that their own rank leaves ambiguous by what the other ranks show. True when
/// something was decided.
bool break_ties(CommFacts& facts, const std::vector<Ambiguity>& ambiguities);

/// Throws InputError unless every two communicators that were merged because nothing tells them
/// apart are safe to treat as one: each rank uses one handle per (direction, peer, tag), and all
/// call the same collectives in the same order.
void check_merged(const CommFacts& facts);

}  // namespace latitude::trace::infer
