#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/trace/matching.hpp"

namespace latitude::graph {

/// Names the origin of a vertex ("trace.3:1204: MPI_Recv"); called for error messages only.
using Describe = std::string (*)(const void* user, VertexId vertex);

struct MatchingOptions {
  bool check_sizes = false;  ///< InputError names a message larger than the receive's `value`
  bool leave_open = false;   ///< candidates of a wildcard source go to Graph::open
  /// The remedy in the error about a wildcard source that several senders can match.
  const char* cure = "latitude trace records it";
};

/// Matches the sends and receives of a graph, whose postings' ids are vertices, by the rule of
/// core/trace/matching.hpp. Sets `partner` of both vertices of every message, and the receive's
/// `value` to the size sent. InputError names a wildcard source that several senders can match, and
/// an unmatched send or receive.
void match_vertices(Graph& graph, std::vector<trace::RankPostings>& postings, unsigned threads,
                    Describe describe, const void* user, MatchingOptions options = {});

/// Matches a graph whose vertices hold in `partner`, until they are matched, the peer of their
/// posting, or trace::kAnySource. The vertices of each rank are in posting order. Returns the
/// number of receives whose `value` differed from the size sent.
std::uint64_t match_vertices(Graph& graph, Describe describe, const void* user);

}  // namespace latitude::graph
