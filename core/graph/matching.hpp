#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// Matches sends with receives by MPI's non-overtaking rule (MPI 4.1 §3.5): per context, source
/// and destination, receives in posting order each take the first unmatched message, in sending
/// order, whose tag fits.
struct Posting {
  std::uint64_t context;  ///< communicator (and, for a collective's own messages, its number)
  std::int32_t peer;      ///< world rank, or trace::kAnySource in a receive
  std::int32_t tag;       ///< or trace::kAnyTag in a receive
  VertexId vertex;
};

struct RankPostings {
  std::vector<Posting> sends;     ///< in sending order
  std::vector<Posting> receives;  ///< in posting order
};

/// Says where a vertex came from ("trace.3:1204: MPI_Recv"); called for error messages only.
using Describe = std::string (*)(const void* user, VertexId vertex);

/// Sets `partner` of both vertices of every message, and the receive's `value` to the size sent.
/// A wildcard source is resolved when exactly one sender can match it; otherwise InputError names
/// it, as it does an unmatched send or receive and, with `check_sizes`, a message larger than the
/// receive's `value`. `postings[r]` belongs to rank r.
void match_messages(Graph& graph, std::vector<RankPostings>& postings, unsigned threads,
                    Describe describe, const void* user, bool check_sizes = false);

}  // namespace latitude::graph
