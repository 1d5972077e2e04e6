#include "core/graph/from_trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "core/graph/rank_builder.hpp"
#include "core/parallel.hpp"
#include "core/release.hpp"

namespace latitude::graph {
namespace {

/// Checks that all members call the same collectives in the same order (MPI 4.1 §6.13).
void check_collectives(const trace::Trace& trace, const std::vector<RankGraph>& parts) {
  struct Caller {
    std::size_t rank;
    std::vector<const CollectiveCall*> calls;
  };
  std::map<std::uint32_t, std::vector<Caller>> by_comm;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    std::map<std::uint32_t, std::vector<const CollectiveCall*>> own;
    for (const CollectiveCall& call : parts[rank].collectives) own[call.comm].push_back(&call);
    for (auto& [comm, calls] : own) by_comm[comm].push_back({rank, std::move(calls)});
  }
  const auto at = [&](const Caller& caller, std::size_t i) {
    const CollectiveCall& call = *caller.calls[i];
    return trace.ranks[caller.rank].source + ":" + std::to_string(call.position) + ": " +
           std::string(trace::name_of(call.call));
  };
  for (const auto& [comm, callers] : by_comm) {
    const Caller& first = callers.front();
    const std::size_t members = trace.communicators[comm].group.size();
    if (callers.size() != members) {
      throw InputError(at(first, 0) + " is called by " + std::to_string(callers.size()) + " of " +
                       std::to_string(members) +
                       " members of its communicator; the trace is incomplete");
    }
    for (const Caller& other : callers) {
      const std::size_t common = std::min(first.calls.size(), other.calls.size());
      for (std::size_t i = 0; i < common; ++i) {
        const CollectiveCall& a = *first.calls[i];
        const CollectiveCall& b = *other.calls[i];
        if (a.call != b.call || a.root != b.root) {
          throw InputError(at(first, i) + " (root " + std::to_string(a.root) + ") meets " +
                           at(other, i) + " (root " + std::to_string(b.root) +
                           "), its counterpart in the same communicator; the traces do not "
                           "belong to one run");
        }
      }
      if (first.calls.size() != other.calls.size()) {
        const bool more = first.calls.size() > common;
        const Caller& longer = more ? first : other;
        throw InputError(at(longer, common) + " has no counterpart on rank " +
                         std::to_string(more ? other.rank : first.rank) +
                         "; the trace is incomplete");
      }
    }
  }
}

constexpr std::size_t kFreedAtOnce = std::size_t{1} << 20;

/// Joins the lists `list_of` of all parts, with each element changed by `placed`, and frees the
/// parts on the way: only a few elements exist twice. Lists of many ranks are short, so their
/// memory is returned once enough of it has gathered.
template <class List, class ListOf, class Placed>
void gather(std::vector<RankGraph>& parts, List& whole, ListOf list_of, Placed placed) {
  std::size_t size = whole.size();
  for (RankGraph& part : parts) size += list_of(part).size();
  whole.reserve(size);
  std::size_t freed = 0;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    auto& list = list_of(parts[rank]);
    freed += list.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      whole.push_back(placed(rank, list[i]));
      if constexpr (requires { release_part(list, 0, i); }) {
        if (i % kReleasedAtOnce == 0 && i > 0) release_part(list, i - kReleasedAtOnce, i);
      }
    }
    release(list);
    if (freed < kFreedAtOnce) continue;
    release_freed();
    freed = 0;
  }
}

/// The unit with the number of a rank's thread.
Unit thread(std::size_t number) {
  return {.line = {.kind = Resource::Kind::thread, .number = static_cast<std::uint32_t>(number)}};
}

/// Puts the ranks' parts one after the other, and frees each on the way.
std::vector<trace::RankPostings> concatenate(std::vector<RankGraph>& parts, Graph& graph) {
  struct Begin {
    std::size_t vertices = 0, deps = 0, calls = 0;
  };
  std::vector<Begin> begins{{}};  // start of each rank's part, and the end
  for (const RankGraph& part : parts) {
    const Begin& own = begins.back();
    begins.push_back({own.vertices + part.vertices.size(), own.deps + part.deps.size(),
                      own.calls + part.calls.size()});
  }
  const std::size_t vertices = begins.back().vertices;
  if (vertices >= kNoVertex) {
    throw InputError("the graph would have " + std::to_string(vertices) +
                     " vertices, more than 4294967294; analyse a shorter run");
  }
  graph.units = {thread(0)};
  const auto first = [&](std::size_t rank) { return static_cast<VertexId>(begins[rank].vertices); };
  const auto call = [&](std::size_t rank) {
    return static_cast<std::uint32_t>(begins[rank].calls);
  };
  gather(
      parts, graph.vertices, [](RankGraph& part) -> auto& { return part.vertices; },
      [&](std::size_t rank, Vertex vertex) {
        if (vertex.origin != kNoOrigin) vertex.origin += call(rank);
        while (graph.units.size() <= vertex.unit) graph.units.push_back(thread(graph.units.size()));
        return vertex;
      });
  gather(
      parts, graph.traced_ns, [](RankGraph& part) -> auto& { return part.traced_ns; },
      [](std::size_t, std::int64_t ns) { return ns; });
  gather(
      parts, graph.dep_begin, [](RankGraph& part) -> auto& { return part.dep_end; },
      [&](std::size_t rank, std::uint32_t end) {
        return static_cast<std::uint32_t>(begins[rank].deps) + end;
      });
  gather(
      parts, graph.deps, [](RankGraph& part) -> auto& { return part.deps; },
      [&](std::size_t rank, Dep dep) { return Dep{dep.vertex + first(rank), dep.kind}; });
  gather(
      parts, graph.calls, [](RankGraph& part) -> auto& { return part.calls; },
      [](std::size_t, const CallRecord& record) { return record; });
  std::vector<trace::RankPostings> postings;
  std::uint32_t numbers = 0;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    RankGraph& part = parts[rank];
    const auto polled_base = static_cast<std::uint32_t>(graph.polled.size());
    for (const auto& [receive, by] : part.completions) {
      graph.completed_in.set(first(rank) + receive, call(rank) + by);
    }
    for (Poll poll : part.polls) {
      poll.vertex += first(rank);
      poll.first += polled_base;
      graph.polls.push_back(poll);
    }
    for (PolledRequest request : part.polled) {
      request.number += numbers;
      if (request.vertex != kNoVertex) request.vertex += first(rank);
      graph.polled.push_back(request);
    }
    numbers += part.polled_requests;
    for (trace::Posting& posting : part.postings.sends) posting.id += first(rank);
    for (trace::Posting& posting : part.postings.receives) posting.id += first(rank);
    postings.push_back(std::move(part.postings));
    part = {};
    graph.rank_begin.push_back(first(rank + 1));
  }
  return postings;
}

/// Adds up one kind of tally over all ranks.
std::vector<Tally> add_up(std::span<const RankTallies* const> ranks,
                          std::map<trace::Call, Tally> RankTallies::* kind) {
  std::map<trace::Call, Tally> all;
  for (const RankTallies* const rank : ranks) {
    for (const auto& [call, own] : rank->*kind) {
      const auto [found, is_first] = all.try_emplace(call, own);
      if (is_first) continue;
      found->second.calls += own.calls;
      found->second.ns += own.ns;
      for (const auto& [site, calls] : own.sites) found->second.sites[site] += calls;
    }
  }
  std::vector<Tally> tallies;
  for (auto& [call, tally] : all) tallies.push_back(std::move(tally));
  return tallies;
}

void count_from(std::int64_t begin_ns, std::vector<std::int64_t>& times) {
  for (std::int64_t& time : times) {
    if (time != kNotTraced) time -= begin_ns;
  }
}

void refuse_polls(const Graph& graph, const trace::Trace& trace) {
  if (graph.polls.empty()) return;
  const VertexId v = graph.polls.front().vertex;
  const CallRecord call = graph.calls[graph.vertices[v].origin];
  throw InputError(trace.ranks[graph.rank_of(v)].source + ":" + std::to_string(call.position) +
                   ": " + std::string(trace::name_of(call.call)) +
                   " was read for a simulation to decide what it completed: build the graph with "
                   "the same assumption");
}

constexpr const char* kCure =
    "latitude trace records it, and --assume wildcards=arrival takes the message that comes first "
    "in a simulation";

struct Origins {
  const Graph* graph;
  const trace::Trace* trace;
};

std::string describe_vertex(const void* user, VertexId v) {
  const auto& [graph, trace] = *static_cast<const Origins*>(user);
  const Vertex& vertex = graph->vertices[v];
  const trace::RankTrace& rank = trace->ranks[graph->rank_of(v)];
  const CallRecord call = graph->calls[vertex.origin];
  return rank.source + ":" + std::to_string(call.position) + ": " +
         std::string(trace::name_of(call.call)) +
         (vertex.kind == Kind::send ? " (sending " : " (receiving ") +
         std::to_string(vertex.value) + " B, tag " + std::to_string(vertex.tag) + ")";
}

std::string percent(std::int64_t part, std::int64_t whole) {
  return std::to_string(
             std::lround(100.0 * static_cast<double>(part) / static_cast<double>(whole))) +
         "%";
}

/// Returns the warning `polls` if failed polls, and the time between them, make up 1 % of all
/// ranks' time.
std::optional<Warning> warn_of_polls(std::span<const RankTallies* const> ranks,
                                     std::int64_t ranks_ns) {
  Polling all;
  for (const RankTallies* const rank : ranks) {
    all.gaps += rank->polling.gaps;
    all.failed += rank->polling.failed;
    all.waited_ns += rank->polling.waited_ns;
    all.between_ns += rank->polling.between_ns;
  }
  constexpr std::int64_t kOf = 100;
  if ((all.waited_ns + all.between_ns) * kOf < ranks_ns || all.gaps == 0) return std::nullopt;
  return Warning{"polls",
                 std::to_string(all.failed) + " polls failed before one found something (" +
                     std::to_string(all.gaps) + " times): " + percent(all.waited_ns, ranks_ns) +
                     " of all ranks' time is waiting in them and no computation; what was "
                     "done between them, " +
                     percent(all.between_ns, ranks_ns) + ", is computation"};
}

/// Matches senders and receivers in the combined parts.
void match_all(const trace::Trace& trace, std::vector<trace::RankPostings>& postings, Graph& graph,
               const BuildOptions& options) {
  const Origins origins{&graph, &trace};
  match_vertices(graph, postings, options.threads, describe_vertex, &origins,
                 {.check_sizes = true, .leave_open = options.leave_open, .cure = kCure});
}

}  // namespace

Tallies add_up(std::span<const RankTallies* const> ranks, std::int64_t ranks_ns) {
  return {.unsupported = add_up(ranks, &RankTallies::unsupported),
          .unrecorded = add_up(ranks, &RankTallies::unrecorded),
          .unfinished = add_up(ranks, &RankTallies::unfinished),
          .ranks_ns = ranks_ns};
}

void refuse_unsupported(const Tallies& tallies) {
  if (!tallies.unsupported.empty()) {
    throw UnsupportedCallsError(tallies.unsupported.front().first +
                                    " is not supported in an execution graph; --skip-unsupported "
                                    "leaves such calls out and says what they stood for",
                                tallies);
  }
  if (!tallies.unrecorded.empty()) {
    throw UnsupportedCallsError(
        tallies.unrecorded.front().first +
            " names a request that no recorded call has made: the program made it by a call that "
            "the tracer does not know, or outside its sight; --skip-unsupported takes it for "
            "nothing",
        tallies);
  }
}

Graph build_graph(trace::Trace& trace, const BuildOptions& options) {
  const std::size_t ranks = trace.ranks.size();
  if (options.traced_times && !trace.no_common_clock.empty()) {
    throw InputError("the traced run cannot be replayed: " + trace.no_common_clock);
  }
  std::vector<RankGraph> parts(ranks);
  std::vector<std::int64_t> spans(ranks);
  std::vector<std::int64_t> begins(ranks, std::numeric_limits<std::int64_t>::max());
  parallel_for(ranks, options.threads, [&](std::size_t rank) {
    trace::RankTrace& events = trace.ranks[rank];
    if (!events.events.empty()) {
      const std::int64_t begin_ns = events.events.front().leave_ns;
      begins[rank] = events.common.at(begin_ns);
      spans[rank] = events.events.back().leave_ns - begin_ns;
    }
    parts[rank] =
        RankBuilder(trace.communicators, events, static_cast<std::uint32_t>(rank), options)
            .run(options.consume ? &events.events : nullptr);
    if (options.consume) {
      release(events.events);
      release(events.args);
      release(events.sites);
      release(events.threads);
    }
  });
  std::vector<const RankTallies*> own;
  for (const RankGraph& part : parts) own.push_back(&part.tallies);
  Tallies tallies = add_up(own, std::accumulate(spans.begin(), spans.end(), std::int64_t{0}));
  if (!options.skip_unsupported) refuse_unsupported(tallies);
  check_collectives(trace, parts);
  Graph graph;
  graph.tallies = std::move(tallies);
  graph.warnings = trace.warnings;
  if (std::optional<Warning> polled = warn_of_polls(own, graph.tallies.ranks_ns)) {
    graph.warnings.push_back(std::move(*polled));
  }
  std::vector<trace::RankPostings> postings = concatenate(parts, graph);
  release_freed();  // many ranks have short parts
  if (!options.leave_open) refuse_polls(graph, trace);
  if (options.traced_times) count_from(std::ranges::min(begins), graph.traced_ns);
  graph.communicators = trace.communicators;
  graph.modules = options.consume ? std::move(trace.modules) : trace.modules;
  graph.sites = options.consume ? std::move(trace.sites) : trace.sites;
  graph.frames = options.consume ? std::move(trace.frames) : trace.frames;
  match_all(trace, postings, graph, options);
  release_freed();
  return graph;
}

Graph build_alone(const trace::Trace& trace, std::span<const std::uint32_t> events,
                  const BuildOptions& options) {
  std::vector<RankGraph> parts(trace.ranks.size());
  for (std::uint32_t rank = 0; rank < parts.size(); ++rank) {
    if (events[rank] == kNoEvent) continue;
    RankBuilder builder(trace.communicators, trace.ranks[rank], rank, options);
    parts[rank] = builder.alone(events[rank]);
  }
  Graph graph;
  std::vector<trace::RankPostings> postings = concatenate(parts, graph);
  match_all(trace, postings, graph, options);
  return graph;
}

}  // namespace latitude::graph
