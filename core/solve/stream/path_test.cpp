// The critical path of traces that are read piece by piece: the sums of the path in memory.
#include "core/solve/stream/path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/drawn_for_tests.hpp"
#include "core/graph/from_trace.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/efficiency.hpp"
#include "core/solve/stream/programs_for_tests.hpp"
#include "core/solve/waits.hpp"
#include "core/trace/native/load_for_tests.hpp"

namespace latitude::solve {
namespace {

using graph::Kind;
using trace::native::Pieces;
using trace::native::RandomProgram;

using PlaceKey = std::pair<trace::Call, std::uint32_t>;

/// The results of an analysis in memory, with which the streamed results must agree.
struct Expected {
  CriticalPath path;
  double ideal_ns = 0;
  Work work;
  std::map<PlaceKey, StreamPlace> places;
  std::vector<double> rank_path_ns;
  std::map<std::pair<std::uint32_t, std::uint32_t>, StreamPair> pairs;
  std::map<std::pair<PlaceKey, PlaceKey>, std::uint64_t> senders;
  Waits waits;
};

PlaceKey key_of(const graph::Graph& graph, graph::VertexId v) {
  const std::uint32_t origin = graph.vertices[v].origin;
  if (origin == graph::kNoOrigin) return {trace::Call::count_, trace::kNoSite};
  return {graph.calls[origin].call, graph.calls[origin].site};
}

Expected expected_of(const std::vector<std::string>& files, const model::Network& net) {
  const auto [graph, network] = whole(files, {}, net);
  const Schedule schedule(graph, network);
  Expected found{
      critical_path(schedule), schedule.ideal_ns(), work(graph, network), {}, {}, {}, {}, {}};
  found.waits = waits(schedule);
  for (std::size_t i = 0; i < graph.calls.size(); ++i) {
    const graph::CallRecord call = graph.calls[i];
    ++found.places[{call.call, call.site}].calls;
  }
  for (graph::VertexId v = 0; v < graph.vertices.size(); ++v) {
    const graph::Vertex& vertex = graph.vertices[v];
    if (vertex.kind == Kind::calc) continue;
    StreamPlace& place = found.places[key_of(graph, v)];
    const auto bytes = static_cast<std::uint64_t>(vertex.value);
    (vertex.kind == Kind::send ? place.bytes_sent : place.bytes_received) += bytes;
    const std::uint32_t source = graph.rank_of(v);
    const std::uint32_t destination = graph.rank_of(vertex.partner);
    if (vertex.kind != Kind::send || source == destination) continue;
    ++found.pairs[{source, destination}].messages;
    found.pairs[{source, destination}].bytes += bytes;
  }
  found.rank_path_ns.resize(graph.ranks());
  double before_ns = 0;
  for (const PathStep& step : found.path.steps) {
    const graph::Vertex& vertex = graph.vertices[step.vertex];
    const std::uint32_t rank = graph.rank_of(step.vertex);
    PlaceOnPath& at = found.places[key_of(graph, step.vertex)].on_path;
    const bool computes = vertex.kind == Kind::calc;
    ++at.steps;
    (computes ? at.calc_ns : at.copying_ns) += step.calc_ns;
    at.latency_ns += step.latency_ns;
    at.gap_ns += step.gap_ns;
    at.bytes += step.bytes;
    at.latencies += static_cast<std::uint64_t>(step.latencies);
    at.overheads += static_cast<std::uint64_t>(step.overheads);
    found.rank_path_ns[rank] += step.end_ns - step.start_ns;
    if (vertex.origin == graph::kNoOrigin) {
      before_ns += computes ? step.calc_ns : 0;
    } else {
      at.before_ns += std::exchange(before_ns, 0);
    }
    if (step.latencies == 0 && step.bytes == 0) continue;
    std::pair ends(rank, graph.rank_of(vertex.partner));
    if (vertex.kind == Kind::recv) {
      std::swap(ends.first, ends.second);
      found.senders[{key_of(graph, step.vertex), key_of(graph, vertex.partner)}] +=
          static_cast<std::uint64_t>(step.latencies);
    }
    PairOnPath& pair = found.pairs[ends].on_path;
    pair.latencies += static_cast<std::uint64_t>(step.latencies);
    pair.bytes += step.bytes;
  }
  return found;
}

void same_place(const PlaceOnPath& found, const PlaceOnPath& expected, double near) {
  EXPECT_EQ(found.steps, expected.steps);
  EXPECT_EQ(found.latencies, expected.latencies);
  EXPECT_EQ(found.overheads, expected.overheads);
  EXPECT_EQ(found.bytes, expected.bytes);
  EXPECT_NEAR(found.before_ns, expected.before_ns, near);
  EXPECT_NEAR(found.calc_ns, expected.calc_ns, near);
  EXPECT_NEAR(found.copying_ns, expected.copying_ns, near);
  EXPECT_NEAR(found.latency_ns, expected.latency_ns, near);
  EXPECT_NEAR(found.gap_ns, expected.gap_ns, near);
}

/// By rank, place, and activity or (after these) cause.
using Times = std::map<std::tuple<std::uint32_t, Place, std::size_t>, double>;

Times times_of(const Waits& waits) {
  Times times;
  for (const Spent& each : waits.spent) {
    times[{each.line, waits.places[each.place], static_cast<std::size_t>(each.activity)}] = each.ns;
  }
  for (const Wait& each : waits.waits) {
    const std::size_t what = kActivities + static_cast<std::size_t>(each.cause);
    times[{each.line, waits.places[each.place], what}] = each.ns;
  }
  return times;
}

std::string told(const Place& place) {
  std::string text(trace::name_of(place.call));
  if (place.posted_call != trace::Call::count_)
    text.append(" of ").append(name_of(place.posted_call));
  return text;
}
std::string told(const Times::key_type& key) {
  const auto& [rank, place, what] = key;
  return "rank " + std::to_string(rank) + ", " + told(place) + ", " + std::to_string(what);
}
std::string told(const std::pair<std::uint32_t, std::uint32_t>& ranks) {
  return "ranks " + std::to_string(ranks.first) + ", " + std::to_string(ranks.second);
}
std::string told(const std::pair<Place, Place>& places) {
  return told(places.first) + ", " + told(places.second);
}

/// A sum that is only a rounding error may be missing in `left` or in `right`.
template <class Sums>
void same_sums(const Sums& left, const Sums& right, double near) {
  const auto all_in = [near](const Sums& some, const Sums& others) {
    for (const auto& [key, ns] : some) {
      const auto other = others.find(key);
      EXPECT_NEAR(ns, other == others.end() ? 0 : other->second, near) << told(key);
    }
  };
  all_in(left, right);
  all_in(right, left);
}

/// As Times, with all waits at a place together.
Times whatever_the_cause(const Waits& waits) {
  Times times;
  for (const auto& [key, ns] : times_of(waits)) {
    const auto& [rank, place, what] = key;
    times[{rank, place, std::min(what, kActivities)}] += ns;
  }
  return times;
}

/// Delays that others waited for, by rank, place and activity; and by both ranks, by both places.
struct Delays {
  Times by_place;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> by_ranks;
  std::map<std::pair<Place, Place>, double> by_places;
};

Delays delays_of(const Waits& waits, double Delay::* delay, double Behind::* behind) {
  Delays found;
  for (const Delay& each : waits.delays) {
    const auto what = static_cast<std::size_t>(each.activity);
    found.by_place[{each.line, waits.places[each.place], what}] = each.*delay;
  }
  for (const Behind& each : waits.behind_lines) {
    found.by_ranks[{each.delaying, each.waiting}] = each.*behind;
  }
  for (const Behind& each : waits.behind_places) {
    found.by_places[{waits.places[each.delaying], waits.places[each.waiting]}] = each.*behind;
  }
  return found;
}

void same_delays(const Delays& found, const Delays& expected, double near) {
  same_sums(found.by_place, expected.by_place, near);
  same_sums(found.by_ranks, expected.by_ranks, near);
  same_sums(found.by_places, expected.by_places, near);
}

void same(const StreamPath& found, const Expected& expected) {
  const double near = 1e-9 * expected.path.T_ns;
  same_sums(times_of(found.waits), times_of(expected.waits), near);
  same_delays(delays_of(found.waits, &Delay::direct_ns, &Behind::direct_ns),
              delays_of(expected.waits, &Delay::direct_ns, &Behind::direct_ns), near);
  same_delays(delays_of(found.waits, &Delay::indirect_ns, &Behind::indirect_ns),
              delays_of(expected.waits, &Delay::indirect_ns, &Behind::indirect_ns), near);
  EXPECT_EQ(found.waits.unexplained_ns, 0);
  EXPECT_EQ(found.T_ns, expected.path.T_ns);
  EXPECT_EQ(found.ideal_ns, expected.ideal_ns);
  std::size_t places = 0;
  for (const StreamPlace& place : found.places) {
    const auto known = expected.places.find({place.call, place.site});
    const bool exists = known != expected.places.end();
    EXPECT_TRUE(exists || (place.call == trace::Call::count_ && place.on_path.steps == 0));
    if (!exists) continue;
    ++places;
    EXPECT_EQ(place.calls, known->second.calls);
    EXPECT_EQ(place.bytes_sent, known->second.bytes_sent);
    EXPECT_EQ(place.bytes_received, known->second.bytes_received);
    same_place(place.on_path, known->second.on_path, near);
  }
  EXPECT_EQ(places, expected.places.size());
  ASSERT_EQ(found.ranks.size(), expected.rank_path_ns.size());
  for (std::size_t r = 0; r < found.ranks.size(); ++r) {
    EXPECT_EQ(found.ranks[r].end_ns, expected.path.rank_end_ns[r]);
    EXPECT_EQ(found.ranks[r].calc_ns, expected.work.calc_ns[r]);
    EXPECT_EQ(found.ranks[r].useful_ns, expected.work.useful_ns[r]);
    EXPECT_NEAR(found.ranks[r].overhead_ns, expected.work.overhead_ns[r], near);
    EXPECT_NEAR(found.ranks[r].path_ns, expected.rank_path_ns[r], near);
  }
  ASSERT_EQ(found.pairs.size(), expected.pairs.size());
  auto pair = expected.pairs.begin();
  for (const StreamPair& each : found.pairs) {
    EXPECT_EQ(std::pair(each.source, each.destination), pair->first);
    EXPECT_EQ(each.messages, pair->second.messages);
    EXPECT_EQ(each.bytes, pair->second.bytes);
    EXPECT_EQ(each.on_path.latencies, pair->second.on_path.latencies);
    EXPECT_EQ(each.on_path.bytes, pair->second.on_path.bytes);
    ++pair;
  }
  std::map<std::pair<PlaceKey, PlaceKey>, std::uint64_t> senders;
  const auto key = [&](std::uint32_t place) {
    return PlaceKey(found.places[place].call, found.places[place].site);
  };
  for (const StreamSender& each : found.senders) {
    senders[{key(each.received), key(each.sent)}] += each.latencies;
  }
  EXPECT_EQ(senders, expected.senders);
}

TEST(StreamPath, HasTheSumsOfThePathInMemory) {
  const int programs = drawn(600, 3000);
  int ended = 0;
  unsigned again = 0;
  std::set<Cause> causes;
  for (unsigned seed = 0; ended < programs; ++seed) {
    const std::vector<std::string> files = RandomProgram(seed).files();
    std::mt19937 random(seed);
    const model::Network net = random_network(random, files.size());
    const auto expected = unless_refused([&] { return expected_of(files, net); });
    const StreamOptions options{.window = 1U << (seed % 9),
                                .ahead = seed % 97,
                                .in_flight = seed % 5,
                                .sums = seed % 2 == 0 ? seed % 61 : 1U << 20,
                                .threads = 1 + seed % 3};
    StreamPath found;
    try {
      found = stream_path(Pieces(names(files.size()), files), {}, net, options);
    } catch (const InputError& error) {
      ASSERT_FALSE(expected) << "seed " << seed << ": " << error.what();
      continue;
    }
    ASSERT_TRUE(expected) << "seed " << seed;
    ++ended;
    same(found, *expected);
    again += found.passes - 1;
    for (const Wait& wait : found.waits.waits) causes.insert(wait.cause);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(again, unsigned(programs) / 6);
  // None of these programs calls MPI_Barrier, or has a second thread.
  EXPECT_EQ(causes.size(), kCauses - 2);
}

TEST(StreamPath, SaysForHowMuchItCannotTellWhoMakesWhomWait) {
  int cut = 0;
  int programs = 0;
  for (unsigned seed = 0; programs < 300; ++seed) {
    const std::vector<std::string> files = RandomProgram(seed).files();
    std::mt19937 random(seed);
    const model::Network net = random_network(random, files.size());
    const auto expected = unless_refused([&] { return expected_of(files, net); });
    if (!expected) continue;
    ++programs;
    const StreamOptions options{.on_lines = 0, .threads = 1};
    const Waits found = stream_path(Pieces(names(files.size()), files), {}, net, options).waits;
    const double near = 1e-9 * expected->path.T_ns;
    same_sums(whatever_the_cause(found), whatever_the_cause(expected->waits), near);
    double waited = 0;
    for (const Wait& wait : found.waits) waited += wait.ns;
    double explained = 0;
    for (const Delay& delay : found.delays) explained += delay.direct_ns + delay.indirect_ns;
    EXPECT_NEAR(explained + found.unexplained_ns, waited, near);
    cut += found.unexplained_ns > 0 ? 1 : 0;
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(cut, 20);
}

StreamPath path_of(int steps, std::uint64_t S) {
  const std::vector<std::string> files = exchange(steps, false);
  const model::LogGPS network{.L = 1000, .o = 10, .G = 0.5, .S = S};
  return stream_path(Pieces(names(files.size()), files), {}, network);
}

TEST(StreamPath, KeepsAsMuchOfALongTraceAsOfAShortOne) {
  for (const std::uint64_t S : {1 << 20, 4}) {  // eager, and by rendezvous
    const StreamPath brief = path_of(1000, S);
    const StreamPath longer = path_of(16000, S);
    EXPECT_EQ(longer.survivors, brief.survivors);
    EXPECT_LT(brief.survivors, 2000U);
    EXPECT_EQ(longer.on_lines, brief.on_lines);
    EXPECT_LT(brief.on_lines, 2000U);
  }
}

TEST(Survivors, WhatPathsHaveInCommonIsThereOnce) {
  Survivors tree;
  const auto after = [&](const SurvivorRef& before, std::uint32_t place) {
    SurvivorRef ref = tree.make(before);
    Survivors::add(Survivors::node(ref), {.place = place, .rank = place, .ns = 1});
    return ref;
  };
  const SurvivorRef origin = tree.make({});
  SurvivorRef left = after(origin, 1);
  SurvivorRef right = after(left, 2);
  left = after(left, 3);  // both have a piece of their own after their first piece
  for (int i = 0; i < 1000; ++i) {
    left = after(left, 3);
    right = after(right, 2);
  }
  EXPECT_EQ(tree.most(), 5U);  // time zero, the common part, two ends, and one more for a moment
  PathSums sums = Survivors::path(right);
  EXPECT_EQ(sums.places.find(1)->copying_ns, 1);
  EXPECT_EQ(sums.places.find(2)->copying_ns, 1001);
  EXPECT_EQ(sums.places.find(3), nullptr);
  left = right;  // the other end has not survived
  sums = Survivors::path(left);
  EXPECT_EQ(sums.places.find(1)->copying_ns, 1);
  EXPECT_EQ(sums.places.find(2)->copying_ns, 1001);
}

}  // namespace
}  // namespace latitude::solve
