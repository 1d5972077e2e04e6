// T of samples in exact cases. Pruning, lanes and threads do not change a bit of T.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "core/error.hpp"
#include "core/graph/chains_for_tests.hpp"
#include "core/model/loggps_for_tests.hpp"
#include "core/solve/compile.hpp"
#include "core/solve/random/numbers.hpp"
#include "core/solve/random/sampler.hpp"
#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {
namespace {

using graph::Chains;
using graph::DepKind;
using graph::Graph;
using model::kEager;
using model::kReadings;
using model::LogGPS;
using model::Rendezvous;

/// 0, 10, 20, … ns, and one far larger value.
std::vector<double> table() {
  std::vector<double> values(kTableSize);
  for (std::size_t i = 0; i < kTableSize; ++i) values[i] = 10.0 * static_cast<double>(i);
  values.back() = 1e6;
  return values;
}

std::vector<double> factors() {
  std::vector<double> values(kTableSize);
  for (std::size_t i = 0; i < kTableSize; ++i)
    values[i] = 0.9 + 0.3 * static_cast<double>(i) / 4096;
  return values;
}

Sampler sampler_of(const Graph& graph, const LogGPS& network, RandomModel model = {},
                   const std::vector<double>& latency = table()) {
  model.latency = {std::ranges::min(latency), std::ranges::max(latency)};
  std::vector<double> noise;
  if (model.noise.has_value()) {
    noise = factors();
    model.noise = Bounds{std::ranges::min(noise), std::ranges::max(noise)};
  }
  const CompiledRandom compiled = compile_random(graph, network, model);
  return {std::make_shared<const RandomPlan>(compiled.dag), model, compiled.quantum, latency,
          noise};
}

double mean(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

TEST(RandomLatency, OfOneMessageIsTheTableShifted) {
  const Graph graph = Chains(2).send(0, 11, 1).recv(1, 11, 0).build();
  const Sampler sampler = sampler_of(graph, LogGPS{.L = 1000, .o = 7, .G = 3, .S = kEager});
  const auto T = sampler.runtimes(1, 0, 200000, 1, 8);
  std::set<double> seen(T.begin(), T.end());
  std::set<double> expected;
  for (const double x : table()) expected.insert(7 + 1000 + 30 + 7 + x);
  EXPECT_EQ(seen, expected);
  EXPECT_DOUBLE_EQ(sampler.at_means(), 1044 + mean(table()));
  EXPECT_DOUBLE_EQ(sampler.at_most(), 1044 + 1e6);
}

// On the sender's CPU the latency delays the sender too; on the wire it does not.
TEST(RandomLatency, IsSpentWhereItIsSaid) {
  const Graph graph = Chains(2).send(0, 1, 1).calc(0, 50000).recv(1, 1, 0).build();
  const LogGPS network{.L = 1000, .o = 7, .S = kEager};
  const std::vector<double> constant(kTableSize, 300);
  EXPECT_DOUBLE_EQ(sampler_of(graph, network, {}, constant).runtimes(1, 0, 1, 1, 1)[0], 50007);
  EXPECT_DOUBLE_EQ(
      sampler_of(graph, network, {.where = Where::sender}, constant).runtimes(1, 0, 1, 1, 1)[0],
      50307);
}

TEST(RandomLatency, IsDrawnForEachMessageOnTheWireOfARendezvous) {
  const Graph graph = Chains(2).send(0, 11, 1).recv(1, 11, 0).build();
  const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = 10};
  const std::vector<double> constant(kTableSize, 100);
  const double alone =
      sampler_of(graph, network, {}, std::vector<double>(kTableSize, 0.0)).at_most();
  EXPECT_DOUBLE_EQ(alone, 7 + 3000 + 30 + 21);
  EXPECT_DOUBLE_EQ(sampler_of(graph, network, {}, constant).at_most(), alone + 300);
  EXPECT_DOUBLE_EQ(sampler_of(graph, network, {.where = Where::sender}, constant).at_most(),
                   alone + 300);
  // No CPU posts the acknowledgement among the five messages of a put; the RTR and FIN come before
  // the send.
  const LogGPS put{.L = 1000, .o = 7, .G = 3, .S = 10, .rendezvous = Rendezvous::put};
  EXPECT_DOUBLE_EQ(sampler_of(graph, put, {}, constant).at_most(), 5000 + 30 + 70 + 500);
  EXPECT_DOUBLE_EQ(sampler_of(graph, put, {.where = Where::sender}, constant).at_most(),
                   5000 + 30 + 70 + 400);
  const Sampler random = sampler_of(graph, network);
  const auto T = random.runtimes(1, 0, 40000, 1, 8);
  const double deviation = 3 * 1e6 / std::sqrt(4096.0);
  EXPECT_NEAR(mean(T), alone + 3 * mean(table()), 5 * deviation / std::sqrt(40000.0));
}

TEST(RandomLatency, IsNotDrawnForWhatARankSendsToItself) {
  const Graph graph = Chains(1).send(0, 11, 0, false).recv(0, 11, 0).build();
  for (const std::uint64_t largest_eager : {std::uint64_t{10}, kEager}) {
    for (const Where where : {Where::flow, Where::sender}) {
      const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = largest_eager};
      const Sampler sampler = sampler_of(graph, network, {.where = where});
      EXPECT_EQ(sampler.plan().draws(), 0U);
      EXPECT_DOUBLE_EQ(sampler.at_most(), 14);
    }
  }
}

// T = the largest of n draws: P(T ≤ entry k) = ((k + 1)/4096)^n.
TEST(RandomLatency, OfAForkAndJoinIsTheLargestOfItsMessages) {
  constexpr int kMessages = 6;
  Chains chains(kMessages + 1);
  for (std::uint32_t i = 1; i <= kMessages; ++i) chains.send(i, 1, 0);
  for (std::uint32_t i = 1; i <= kMessages; ++i) chains.recv(0, 1, static_cast<std::int32_t>(i));
  const Sampler sampler = sampler_of(chains.build(), LogGPS{.L = 1000, .S = kEager});
  constexpr std::size_t kSamples = 100000;
  const auto T = sampler.runtimes(9, 0, kSamples, 1, 8);
  for (const std::size_t entry : {1000, 2000, 3000, 3500, 4000}) {
    const double limit = 1000 + table()[entry];
    const double p = std::pow(static_cast<double>(entry + 1) / kTableSize, kMessages);
    const auto below = std::ranges::count_if(T, [&](double t) { return t <= limit; });
    EXPECT_NEAR(static_cast<double>(below) / kSamples, p, 5 * std::sqrt(p * (1 - p) / kSamples));
  }
}

TEST(RandomLatency, OfAChainOfMessagesHasTheMomentsOfASum) {
  constexpr int kHops = 40;
  Chains chains(2);
  for (int i = 0; i < kHops; ++i) {
    const auto from = static_cast<std::uint32_t>(i % 2);
    chains.send(from, 1, static_cast<std::int32_t>(1 - from));
    chains.recv(1 - from, 1, static_cast<std::int32_t>(from));
  }
  std::vector<double> uniform = table();
  uniform.back() = 40950;
  const Sampler sampler =
      sampler_of(chains.build(), LogGPS{.L = 1000, .o = 5, .S = kEager}, {}, uniform);
  constexpr std::size_t kSamples = 50000;
  const auto T = sampler.runtimes(2, 0, kSamples, 2, 8);
  const double variance = kHops * 100 * (4096.0 * 4096.0 - 1) / 12;
  EXPECT_NEAR(mean(T), kHops * (1010 + mean(uniform)), 5 * std::sqrt(variance / kSamples));
  double square = 0;
  for (const double t : T) square += (t - mean(T)) * (t - mean(T)) / kSamples;
  EXPECT_NEAR(square / variance, 1, 5 * std::sqrt(2.0 / kSamples));
}

TEST(RandomLatency, PerPairOrRankIsOneDrawASample) {
  Chains chains(3);
  for (int i = 0; i < 10; ++i) chains.send(0, 1, 1 + i % 2);
  for (std::uint32_t r = 1; r < 3; ++r) {
    for (int i = 0; i < 5; ++i) chains.recv(r, 1, 0);
  }
  const Graph graph = chains.build();
  const LogGPS network{.L = 1000, .S = kEager};
  const auto by_rank = sampler_of(graph, network, {.per = Per::rank}).runtimes(1, 0, 4000, 1, 8);
  const auto by_pair = sampler_of(graph, network, {.per = Per::pair}).runtimes(1, 0, 4000, 1, 8);
  const auto each = sampler_of(graph, network).runtimes(1, 0, 4000, 1, 8);
  // The largest of 1, 2 and 10 uniform draws.
  EXPECT_NEAR(mean(by_rank), 1000 + mean(table()), 1500);
  EXPECT_NEAR(mean(by_pair), 1000 + 40960.0 * 2 / 3, 2000);
  EXPECT_NEAR(mean(each), 1000 + 40960.0 * 10 / 11, 4000);
  EXPECT_EQ(std::set<double>(by_rank.begin(), by_rank.end()).count(1000 + 10), 1U);
}

TEST(NoiseOnComputation, MultipliesEachComputationOrAllOfARank) {
  Chains chains(1);
  for (int i = 0; i < 50; ++i) chains.calc(0, 1000);
  const Graph graph = chains.build();
  const LogGPS network{.S = kEager};
  const auto each = sampler_of(graph, network, {.noise = Bounds{}}).runtimes(1, 0, 20000, 1, 8);
  const auto all = sampler_of(graph, network, {.noise = Bounds{}, .noise_per_rank = true})
                       .runtimes(1, 0, 20000, 1, 8);
  const auto deviation = [](const std::vector<double>& v) {
    double square = 0;
    for (const double x : v) square += (x - mean(v)) * (x - mean(v));
    return std::sqrt(square / static_cast<double>(v.size()));
  };
  EXPECT_NEAR(mean(each), 50000 * mean(factors()), 100);
  EXPECT_NEAR(mean(all), 50000 * mean(factors()), 200);
  const double one = 1000 * 0.3 / std::sqrt(12.0);
  EXPECT_NEAR(deviation(each) / (one * std::sqrt(50.0)), 1, 0.05);
  EXPECT_NEAR(deviation(all) / (one * 50), 1, 0.05);
}

/// Ranks that compute, exchange, and synchronise at random.
Graph random_graph(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint32_t ranks = 2 + below(5);
  Chains chains(ranks);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t from = below(ranks);
    const std::uint32_t to = (from + 1 + below(ranks - 1)) % ranks;
    chains.calc(from, below(30000));
    const std::int64_t bytes = below(20);
    chains.send(from, bytes, static_cast<std::int32_t>(to), below(2) == 0);
    if (below(3) == 0) chains.calc(to, below(30000));
    chains.recv(to, bytes, static_cast<std::int32_t>(from));
  }
  return chains.build();
}

TEST(Pruning, ChangesNoBitOfAnySample) {
  constexpr std::array kGaps = {model::Gap::none, model::Gap::send, model::Gap::both};
  std::size_t all = 0;
  std::size_t left = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Graph graph = random_graph(seed);
    for (const Rendezvous reading : kReadings) {
      for (const Where where : {Where::flow, Where::sender}) {
        for (const Per per : {Per::message, Per::pair, Per::rank}) {
          const LogGPS network{.L = 1000.3,
                               .o = 7.7,
                               .g = seed % 3 == 0 ? 0 : 50.1,
                               .G = 3.3,
                               .S = 9,
                               .rendezvous = reading,
                               .gap = kGaps[seed % kGaps.size()]};
          RandomModel model{.where = where, .per = per};
          if (seed % 2 == 0) model.noise = Bounds{};
          model.noise_per_rank = seed % 4 == 0;
          const Sampler pruned = sampler_of(graph, network, model);
          model.prune = false;
          const Sampler full = sampler_of(graph, network, model);
          EXPECT_EQ(pruned.runtimes(seed, 0, 64, 1, 8), full.runtimes(seed, 0, 64, 1, 8));
          all += full.plan().steps.size();
          left += pruned.plan().steps.size();
        }
      }
    }
  }
  EXPECT_LT(left + 1000, all);
}

TEST(Pruning, NarrowTablesLeaveLittle) {
  const Graph graph = random_graph(3);
  const LogGPS network{.L = 1000, .o = 7, .S = kEager};
  std::vector<double> narrow(kTableSize);
  for (std::size_t i = 0; i < kTableSize; ++i) narrow[i] = static_cast<double>(i) / 4096;
  const std::size_t few = sampler_of(graph, network, {}, narrow).plan().steps.size();
  const std::size_t many = sampler_of(graph, network).plan().steps.size();
  EXPECT_LT(2 * few, many);
}

TEST(Lanes, AndThreadsChangeNoBit) {
  const Graph graph = random_graph(5);
  const Sampler sampler =
      sampler_of(graph, LogGPS{.L = 1000.3, .o = 7.7, .G = 3.3, .S = 9}, {.noise = Bounds{}});
  const auto reference = sampler.runtimes(4, 0, 333, 1, 1);
  for (const int lanes : {2, 4, 8, 16}) {
    for (const unsigned threads : {1U, 2U, 3U}) {
      EXPECT_EQ(sampler.runtimes(4, 0, 333, threads, lanes), reference);
    }
    const auto part = sampler.runtimes(4, 101, 57, 2, lanes);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), reference.begin() + 101));
  }
  EXPECT_NE(sampler.runtimes(5, 0, 333, 1, 8), reference);
  EXPECT_TRUE(sampler.runtimes(4, 7, 0, 1, 8).empty());
  EXPECT_THROW(sampler.runtimes(4, 0, 8, 1, 3), InputError);
}

TEST(Constant, IsTheDeterministicAnswer) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Graph graph = random_graph(seed);
    LogGPS network{.L = 1000, .o = 7, .G = 3, .S = 9};
    const std::vector<double> constant(kTableSize, 250);
    const Sampler sampler = sampler_of(graph, network, {}, constant);
    const double T = sampler.runtimes(1, 0, 1, 1, 1)[0];
    EXPECT_EQ(T, sampler.at_means());
    const double at = 1250;
    EXPECT_DOUBLE_EQ(T, SweepPlan(compile(graph, network, model::Theta::L)).runtimes({&at, 1})[0]);
  }
}

TEST(Bounds, HoldTheMeanBetweenThem) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Sampler sampler =
        sampler_of(random_graph(seed), LogGPS{.L = 1000, .o = 7, .S = 9}, {.noise = Bounds{}});
    const auto T = sampler.runtimes(1, 0, 4000, 1, 8);
    EXPECT_LE(sampler.at_means(), mean(T));
    EXPECT_LE(std::ranges::max(T), sampler.at_most());
  }
}

// Two messages to one rank: the later is critical, each in half the samples.
TEST(Criticality, CountsTheSamplesAGroupDecides) {
  const Graph graph = Chains(3).send(0, 1, 2).send(1, 1, 2).recv(2, 1, 0).recv(2, 1, 1).build();
  const Sampler sampler = sampler_of(graph, LogGPS{.L = 1000, .S = kEager});
  const std::vector<std::uint32_t> by_message{Sampler::kNoGroup, Sampler::kNoGroup, 0, 1};
  const std::vector<std::uint32_t> together{Sampler::kNoGroup, Sampler::kNoGroup, 0, 0};
  const std::vector<std::span<const std::uint32_t>> groups{by_message, together};
  const auto found = sampler.critical(1, 3, 20000, 2, groups).groupings;
  EXPECT_NEAR(static_cast<double>(found[0].samples[0]), 10000, 400);
  EXPECT_EQ(found[0].samples[0] + found[0].samples[1], 20000U);
  EXPECT_EQ(found[1].samples[0], 20000U);
  EXPECT_EQ(found[1].latencies[0], 20000U);
  const auto alone = sampler.critical(1, 3, 20000, 1, groups);
  EXPECT_EQ(alone.groupings[0].samples, found[0].samples);
  EXPECT_EQ(alone.runtimes, sampler.runtimes(1, 3, 20000, 1, 8));
}

// Ranges of every length and place: blocks of samples are cut, and paths of few are followed.
TEST(Criticality, IsTheSumOfEachSampleAlone) {
  const Graph graph = random_graph(8);
  const Sampler sampler = sampler_of(graph, LogGPS{.L = 1000, .o = 7, .S = 9});
  std::vector<std::uint32_t> by_vertex(sampler.vertices_needed());
  std::iota(by_vertex.begin(), by_vertex.end(), 0U);
  const std::vector<std::span<const std::uint32_t>> groups{by_vertex};
  for (const std::uint64_t first : {0U, 3U, 61U}) {
    for (const std::size_t count : {1U, 9U, 64U, 150U}) {
      GroupCriticality sum{std::vector<std::uint64_t>(by_vertex.size()),
                           std::vector<std::uint64_t>(by_vertex.size())};
      for (std::size_t i = 0; i < count; ++i) {
        const auto one = sampler.critical(2, first + i, 1, 1, groups).groupings[0];
        std::ranges::transform(sum.samples, one.samples, sum.samples.begin(), std::plus());
        std::ranges::transform(sum.latencies, one.latencies, sum.latencies.begin(), std::plus());
      }
      const auto found = sampler.critical(2, first, count, 2, groups);
      EXPECT_EQ(found.groupings[0].samples, sum.samples);
      EXPECT_EQ(found.groupings[0].latencies, sum.latencies);
      EXPECT_EQ(found.runtimes, sampler.runtimes(2, first, count, 1, 8));
    }
  }
}

TEST(Criticality, CountsEveryLatencyOfAPath) {
  const Graph graph = Chains(2).send(0, 11, 1).recv(1, 11, 0).build();
  const Sampler sampler = sampler_of(graph, LogGPS{.L = 1000, .o = 7, .G = 3, .S = 10});
  const std::vector<std::uint32_t> all{0, 0};
  const std::vector<std::span<const std::uint32_t>> groups{all};
  EXPECT_EQ(sampler.critical(1, 0, 100, 1, groups).groupings[0].latencies[0], 300U);
}

/// A message goes back and forth, and one of another rank comes early.
TEST(Criticality, FollowsAPathThroughReusedMemory) {
  constexpr std::uint32_t kRounds = 50;
  Chains chains(3);
  chains.calc(0, 1'000'000'000).send(2, 1, 1).recv(1, 1, 2);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    chains.send(0, 1, 1).recv(1, 1, 0).send(1, 1, 0).recv(0, 1, 1);
  }
  const Graph graph = chains.build();
  RandomModel unpruned;
  unpruned.prune = false;
  const Sampler sampler = sampler_of(graph, LogGPS{.L = 1000, .S = kEager}, unpruned);
  std::vector<std::uint32_t> group(graph.vertices.size(), 0);
  group[graph.rank_begin[1]] = 1;  // the early message
  const std::vector<std::span<const std::uint32_t>> groups{group};
  constexpr std::uint64_t kSamples = 19;
  const auto found = sampler.critical(1, 5, kSamples, 2, groups).groupings;
  EXPECT_EQ(found[0].samples, (std::vector<std::uint64_t>{kSamples, 0}));
  EXPECT_EQ(found[0].latencies, (std::vector<std::uint64_t>{2 * kRounds * kSamples, 0}));
}

TEST(Tables, OutsideTheBoundsAreRefused) {
  const Graph graph = Chains(2).send(0, 1, 1).recv(1, 1, 0).build();
  RandomModel model;
  model.latency = {0, 100};
  const CompiledRandom compiled = compile_random(graph, LogGPS{.S = kEager}, model);
  const auto plan = std::make_shared<const RandomPlan>(compiled.dag);
  const std::vector<double> high(kTableSize, 101);
  const std::vector<double> few(100, 1);
  EXPECT_THROW(Sampler(plan, model, compiled.quantum, high, {}), InputError);
  EXPECT_THROW(Sampler(plan, model, compiled.quantum, few, {}), InputError);
  model.latency = {0, 1e16};
  EXPECT_THROW(compile_random(graph, LogGPS{.S = kEager}, model), InputError);
}

}  // namespace
}  // namespace latitude::solve
