#include "core/solve/random/sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/solve/lanes.hpp"
#include "core/solve/random/numbers.hpp"
#include "core/solve/values.hpp"

namespace latitude::solve {
namespace {

using Step = RandomPlan::Step;
using ChunkIndices = Indices<RandomPlan::kChunk>;

constexpr int kWidest = 16;
constexpr std::size_t kMostBlocks = kWidest / kBlock;

/// All data that one pass over the graph reads and writes.
struct Pass {
  const RandomPlan& plan;
  const double* tables;
  double* values;         ///< slots × lanes
  std::uint8_t* winners;  ///< by block and step: bit k is set if edge 1 decided sample k; or null
  ChunkIndices* indices;  ///< one per block
  std::array<BlockSalt, kMostBlocks> salts;
  std::size_t first_in_block;  ///< sample of the block in lane 0, with fewer than 8 lanes
};

template <int K, bool kRecord>
struct Samples {
  template <int kWidestVector>
  LATITUDE_INLINE static void run(const Pass& pass) {
    if (pass.plan.weights.empty()) {
      steps<kWidestVector, false>(pass);
    } else {
      steps<kWidestVector, true>(pass);
    }
  }

 private:
  template <int kWidestVector, bool kWeighted>
  LATITUDE_INLINE static void steps(const Pass& all) {
    constexpr int W = std::min(K, kWidestVector);
    constexpr std::size_t kBlocks = K > 8 ? K / 8 : 1;
    const Pass pass = all;
    const std::size_t first = K < 8 ? pass.first_in_block : 0;
    const std::size_t count = pass.plan.steps.size();
    for (std::size_t begin = 0; begin < count; begin += RandomPlan::kChunk) {
      for (std::size_t b = 0; b < kBlocks; ++b) {
        pass.indices[b].draw(pass.plan.keys.data() + begin, pass.salts[b]);
      }
      const Step* const chunk = pass.plan.steps.data() + begin;
      const std::size_t size = std::min(count - begin, RandomPlan::kChunk);
      for (std::size_t i = 0; i < size; ++i) {
        const Step step = chunk[i];
        const double* const table = pass.tables + step.table;
        const double* const a = pass.values + std::size_t{step.from[0]} * K;
        const double* const b = pass.values + std::size_t{step.from[1]} * K;
        double* const to = pass.values + std::size_t{step.to} * K;
        unsigned second = 0;
        for (int n = 0; n < K; n += W) {
          Vector<W> drawn;
          for (int k = 0; k < W; ++k) {
            const std::size_t sample = first + static_cast<std::size_t>(n + k);
            set<W>(drawn, k, table[pass.indices[sample / kBlock].of(i, sample % kBlock)]);
          }
          if constexpr (kWeighted) drawn = pass.plan.weights[begin + i] * drawn;
          const Vector<W> x = at<W>(a + n) + step.constant[0];
          const Vector<W> y = at<W>(b + n) + (step.constant[1] + drawn);
          at<W>(to + n) = x > y ? x : y;
          if constexpr (kRecord) second |= greater<W>(y, x) << static_cast<unsigned>(n);
        }
        if constexpr (kRecord) {
          for (std::size_t b = 0; b < kBlocks; ++b) {
            pass.winners[b * count + begin + i] = static_cast<std::uint8_t>(second >> (b * kBlock));
          }
        }
      }
    }
  }
};

using Run = void(const Pass&);

template <int K, bool kRecord = false>
Run* compiled() {
  return compiled_for<Samples<K, kRecord>, const Pass&>(unit_in_use());
}

Run* run_for(int lanes) {
  switch (lanes) {
    case 1:
      return compiled<1>();
    case 2:
      return compiled<2>();
    case 4:
      return compiled<4>();
    case 8:
      return compiled<8>();
    case kWidest:
      return compiled<kWidest>();
    default:
      throw InputError("lanes must be 1, 2, 4, 8 or 16");
  }
}

/// Evaluates `lanes` samples per pass. A pass begins at a multiple of `lanes`, so that a block of
/// random numbers is never cut.
class Passes {
 public:
  Passes(const RandomPlan& plan, const std::vector<double>& tables, std::size_t lanes, Run* run)
      : values_(plan.slots * lanes),
        indices_(std::make_unique<std::array<ChunkIndices, kMostBlocks>>()),
        lanes_(lanes),
        run_(run),
        pass_{plan, tables.data(), values_.data(), nullptr, indices_->data(), {}, 0} {
    std::fill_n(values_.data(), lanes, 0.0);  // the origin
  }

  void record(std::uint8_t* winners) { pass_.winners = winners; }

  /// T of samples `at` … `at + lanes − 1`; `at` is a multiple of the lanes.
  const double* at(std::uint64_t seed, std::uint64_t at) {
    for (std::size_t b = 0; b < pass_.salts.size(); ++b) {
      pass_.salts[b] = block_salt(seed, at / kBlock + b);
    }
    pass_.first_in_block = at % kBlock;
    run_(pass_);
    return values_.data() + pass_.plan.result_slot * lanes_;
  }

 private:
  Values values_;
  std::unique_ptr<std::array<ChunkIndices, kMostBlocks>> indices_;
  std::size_t lanes_;
  Run* run_;
  Pass pass_;
};

/// The samples of a range that belong to one pass.
struct Covered {
  std::uint64_t pass;      ///< number of its first sample
  std::size_t skip, take;  ///< lanes before, and in, the range
  std::size_t from_first;  ///< number of the first used sample, counted from the first of the range
};

/// Copies T of a pass's lanes to the samples of the range.
void copy(const Covered& covered, const double* T, std::vector<double>& range) {
  std::copy_n(T + covered.skip, covered.take,
              range.begin() + static_cast<std::ptrdiff_t>(covered.from_first));
}

template <class Body>
void each_pass(std::uint64_t first, std::size_t count, std::size_t lanes, std::uint64_t begin,
               std::uint64_t end, Body body) {
  for (std::uint64_t p = begin; p < end; ++p) {
    const std::uint64_t low = std::max(first, p * lanes);
    const std::uint64_t high = std::min(first + count, (p + 1) * lanes);
    body(Covered{p * lanes, low - p * lanes, high - low, low - first});
  }
}

/// Divides the passes of a range among threads: body(begin, end) for parts of the passes.
template <class Body>
void in_stretches(std::uint64_t first, std::size_t count, std::size_t lanes, unsigned threads,
                  Body body) {
  if (count == 0) return;
  const std::uint64_t begin = first / lanes;
  const std::uint64_t end = (first + count - 1) / lanes + 1;
  const std::size_t wanted = std::min<std::uint64_t>(end - begin, thread_count(threads));
  parallel_for(wanted, threads, [&](std::size_t i) {
    body(begin + (end - begin) * i / wanted, begin + (end - begin) * (i + 1) / wanted);
  });
}

/// By step and grouping: the group of the message whose latency the step draws.
std::vector<std::uint32_t> groups_of_steps(
    const RandomPlan& plan, std::span<const std::span<const std::uint32_t>> group_of) {
  std::vector<std::uint32_t> groups;
  groups.reserve(plan.messages.size() * group_of.size());
  for (const graph::VertexId message : plan.messages) {
    for (const std::span<const std::uint32_t> grouping : group_of) {
      groups.push_back(message == graph::kNoVertex ? Sampler::kNoGroup : grouping[message]);
    }
  }
  return groups;
}

/// Follows the critical paths of many samples back, all in one pass over the steps.
class PathsBack {
 public:
  static constexpr std::size_t kPasses = 64 / kWidest;

  /// `groups` as of groups_of_steps().
  PathsBack(const RandomPlan& plan, std::span<const std::uint32_t> groups,
            std::span<GroupCriticality> result)
      : plan_(plan),
        groups_(groups),
        result_(result),
        winners_(kBlocks * plan.steps.size()),
        on_path_(plan.slots) {
    for (const GroupCriticality& grouping : result) seen_.emplace_back(grouping.samples.size(), 0);
  }

  /// Where to record the winners of a block of samples and of those behind, by step.
  std::uint8_t* winners(std::size_t block) { return winners_.data() + block * plan_.steps.size(); }

  /// `samples` has a bit for each sample that counts, eight for each block.
  void follow(std::uint64_t samples) {
    std::ranges::fill(on_path_, 0);
    on_path_[plan_.result_slot] = samples;
    for (std::size_t i = plan_.steps.size(); i-- > 0;) {
      const Step& step = plan_.steps[i];
      const std::uint64_t here = std::exchange(on_path_[step.to], 0);
      if (here == 0) continue;
      const std::uint64_t second = here & winners_of(i);
      on_path_[step.from[0]] |= here & ~second;
      on_path_[step.from[1]] |= second;
      if (second != 0) count(i, second);
    }
    for (std::size_t g = 0; g < result_.size(); ++g) {
      for (std::size_t i = 0; i < seen_[g].size(); ++i) {
        result_[g].samples[i] += static_cast<unsigned>(std::popcount(seen_[g][i]));
        seen_[g][i] = 0;
      }
    }
  }

 private:
  static constexpr std::size_t kBlocks = 64 / kBlock;

  std::uint64_t winners_of(std::size_t step) const {
    std::uint64_t all = 0;
    for (std::size_t b = 0; b < kBlocks; ++b) {
      all |= std::uint64_t{winners_[b * plan_.steps.size() + step]} << (b * kBlock);
    }
    return all;
  }

  void count(std::size_t step, std::uint64_t samples) {
    for (std::size_t g = 0; g < result_.size(); ++g) {
      const std::uint32_t group = groups_[step * result_.size() + g];
      if (group == Sampler::kNoGroup) continue;
      seen_[g][group] |= samples;
      result_[g].latencies[group] += static_cast<unsigned>(std::popcount(samples));
    }
  }

  const RandomPlan& plan_;
  std::span<const std::uint32_t> groups_;
  std::span<GroupCriticality> result_;
  std::vector<std::uint8_t> winners_;   ///< by block, by step
  std::vector<std::uint64_t> on_path_;  ///< by slot: the samples on whose path its value is
  std::vector<std::vector<std::uint64_t>> seen_;  ///< by group: the samples with a message of it
};

std::vector<GroupCriticality> empty_groups(
    std::span<const std::span<const std::uint32_t>> group_of) {
  std::vector<GroupCriticality> result;
  for (const std::span<const std::uint32_t> groups : group_of) {
    std::size_t count = 0;
    for (const std::uint32_t group : groups) {
      if (group != Sampler::kNoGroup) count = std::max<std::size_t>(count, group + 1UL);
    }
    result.push_back({std::vector<std::uint64_t>(count), std::vector<std::uint64_t>(count)});
  }
  return result;
}

void append_table(std::vector<double>& tables, std::span<const double> table, Bounds bounds,
                  double quantum, const char* what) {
  if (table.size() != kTableSize) {
    throw InputError(std::string(what) + ": a table has 4096 entries, not " +
                     std::to_string(table.size()));
  }
  for (const double entry : table) {
    if (!(entry >= bounds.low && entry <= bounds.high)) {
      throw InputError(std::string(what) + ": entry " + std::to_string(entry) +
                       " is outside the bounds the graph was compiled for, " +
                       std::to_string(bounds.low) + " to " + std::to_string(bounds.high));
    }
    tables.push_back(quantised(entry, quantum));
  }
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Sampler::Sampler(std::shared_ptr<const RandomPlan> plan, const RandomModel& model, double quantum,
                 std::span<const double> latency, std::span<const double> noise)
    : plan_(std::move(plan)) {
  append_table(tables_, latency, model.latency, quantum, "latency");
  if (model.noise.has_value()) append_table(tables_, noise, *model.noise, quantum, "noise");
  tables_.resize(RandomPlan::kNothing + kTableSize);
}

std::vector<double> Sampler::runtimes(std::uint64_t seed, std::uint64_t first, std::size_t count,
                                      unsigned threads, int lanes) const {
  Run* const run = run_for(lanes);
  const auto width = static_cast<std::size_t>(lanes);
  std::vector<double> result(count);
  in_stretches(first, count, width, threads, [&](std::uint64_t begin, std::uint64_t end) {
    Passes passes(*plan_, tables_, width, run);
    each_pass(first, count, width, begin, end, [&](const Covered& covered) {
      copy(covered, passes.at(seed, covered.pass), result);
    });
  });
  return result;
}

CriticalSamples Sampler::critical(std::uint64_t seed, std::uint64_t first, std::size_t count,
                                  unsigned threads,
                                  std::span<const std::span<const std::uint32_t>> group_of) const {
  CriticalSamples found{std::vector<double>(count), empty_groups(group_of)};
  const std::vector<std::uint32_t> groups = groups_of_steps(*plan_, group_of);
  std::mutex mutex;
  in_stretches(first, count, kWidest, threads, [&](std::uint64_t begin, std::uint64_t end) {
    Passes passes(*plan_, tables_, kWidest, compiled<kWidest, true>());
    std::vector<GroupCriticality> own = empty_groups(group_of);
    PathsBack back(*plan_, groups, own);
    for (std::uint64_t next = begin; next < end; next += PathsBack::kPasses) {
      const std::uint64_t until = std::min(end, next + PathsBack::kPasses);
      std::uint64_t samples = 0;
      each_pass(first, count, kWidest, next, until, [&](const Covered& covered) {
        const std::size_t lane = covered.pass - next * kWidest;
        passes.record(back.winners(lane / kBlock));
        copy(covered, passes.at(seed, covered.pass), found.runtimes);
        const std::uint64_t taken = (1U << covered.take) - 1;
        samples |= taken << (covered.skip + lane);
      });
      back.follow(samples);
    }
    const std::lock_guard lock(mutex);
    for (std::size_t g = 0; g < own.size(); ++g) {
      for (std::size_t i = 0; i < own[g].samples.size(); ++i) {
        found.groupings[g].samples[i] += own[g].samples[i];
        found.groupings[g].latencies[i] += own[g].latencies[i];
      }
    }
  });
  return found;
}

std::size_t Sampler::vertices_needed() const noexcept {
  std::size_t needed = 0;
  for (const graph::VertexId message : plan_->messages) {
    if (message != graph::kNoVertex) needed = std::max(needed, message + std::size_t{1});
  }
  return needed;
}

double Sampler::at(double latency, double noise) const {
  std::vector<double> values(plan_->slots);
  for (std::size_t i = 0; i < plan_->steps.size(); ++i) {
    const Step& step = plan_->steps[i];
    double drawn = 0;
    if (step.table == RandomPlan::kLatency) drawn = latency;
    if (step.table == RandomPlan::kNoise) drawn = plan_->weights[i] * noise;
    values[step.to] = std::max(values[step.from[0]] + step.constant[0],
                               values[step.from[1]] + (step.constant[1] + drawn));
  }
  return values[plan_->result_slot];
}

double Sampler::at_means() const {
  const std::span<const double> all(tables_);
  return at(mean(all.first(kTableSize)), mean(all.subspan(RandomPlan::kNoise, kTableSize)));
}

double Sampler::at_most() const {
  const std::span<const double> all(tables_);
  return at(std::ranges::max(all.first(kTableSize)),
            std::ranges::max(all.subspan(RandomPlan::kNoise, kTableSize)));
}

}  // namespace latitude::solve
