#include "core/solve/random/sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>
#include <numeric>

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
  std::uint8_t* winners;  ///< by step: bit k is set if edge 1 decided sample k; may be null
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
        if constexpr (kRecord) pass.winners[begin + i] = static_cast<std::uint8_t>(second);
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

/// The steps that made the values of each step's two edges.
class Makers {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;  ///< the origin

  explicit Makers(const RandomPlan& plan) {
    std::vector<std::uint32_t> latest(plan.slots, kNone);  // by slot
    before_.reserve(plan.steps.size());
    for (const Step& step : plan.steps) {
      before_.push_back({latest[step.from[0]], latest[step.from[1]]});
      latest[step.to] = static_cast<std::uint32_t>(before_.size() - 1);
    }
    last_ = latest[plan.result_slot];
  }

  std::uint32_t before(std::uint32_t step, bool second) const {
    return before_[step][second ? 1 : 0];
  }
  std::uint32_t last() const { return last_; }

 private:
  std::vector<std::array<std::uint32_t, 2>> before_;
  std::uint32_t last_ = kNone;
};

/// Walks the critical paths of eight samples back. Few steps are on a path; the eight take turns,
/// so that none waits for the memory of its next step.
class WalkBack {
 public:
  WalkBack(const RandomPlan& plan, const Makers& makers,
           std::span<const std::span<const std::uint32_t>> group_of,
           std::span<GroupCriticality> result)
      : plan_(plan), makers_(makers), group_of_(group_of), result_(result) {
    for (const GroupCriticality& grouping : result) seen_.emplace_back(grouping.samples.size(), 0);
  }

  /// `samples` has a bit for each sample that counts.
  void walk(const std::uint8_t* winners, unsigned samples) {
    std::array<std::uint32_t, kBlock> at;
    for (std::size_t k = 0; k < kBlock; ++k) {
      at[k] = (samples >> k & 1U) != 0 ? makers_.last() : Makers::kNone;
    }
    for (bool more = true; more;) {
      more = false;
      for (std::size_t k = 0; k < kBlock; ++k) {
        const std::uint32_t step = at[k];
        if (step == Makers::kNone) continue;
        more = true;
        const bool second = (winners[step] >> k & 1U) != 0;
        if (second && plan_.messages[step] != graph::kNoVertex) count(plan_.messages[step], k);
        at[k] = makers_.before(step, second);
      }
    }
    for (std::size_t g = 0; g < result_.size(); ++g) {
      for (std::size_t i = 0; i < seen_[g].size(); ++i) {
        result_[g].samples[i] += static_cast<unsigned>(std::popcount(seen_[g][i]));
        seen_[g][i] = 0;
      }
    }
  }

 private:
  void count(graph::VertexId message, std::size_t sample) {
    for (std::size_t g = 0; g < result_.size(); ++g) {
      const std::uint32_t group = group_of_[g][message];
      if (group == Sampler::kNoGroup) continue;
      seen_[g][group] = static_cast<std::uint8_t>(seen_[g][group] | 1U << sample);
      ++result_[g].latencies[group];
    }
  }

  const RandomPlan& plan_;
  const Makers& makers_;
  std::span<const std::span<const std::uint32_t>> group_of_;
  std::span<GroupCriticality> result_;
  std::vector<std::vector<std::uint8_t>> seen_;
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
      const double* T = passes.at(seed, covered.pass) + covered.skip;
      std::copy_n(T, covered.take,
                  result.begin() + static_cast<std::ptrdiff_t>(covered.from_first));
    });
  });
  return result;
}

std::vector<GroupCriticality> Sampler::critical(
    std::uint64_t seed, std::uint64_t first, std::size_t count, unsigned threads,
    std::span<const std::span<const std::uint32_t>> group_of) const {
  std::vector<GroupCriticality> total = empty_groups(group_of);
  const Makers makers(*plan_);
  std::mutex mutex;
  in_stretches(first, count, kBlock, threads, [&](std::uint64_t begin, std::uint64_t end) {
    Passes passes(*plan_, tables_, kBlock, compiled<kBlock, true>());
    std::vector<std::uint8_t> winners(plan_->steps.size());
    passes.record(winners.data());
    std::vector<GroupCriticality> own = empty_groups(group_of);
    WalkBack back(*plan_, makers, group_of, own);
    each_pass(first, count, kBlock, begin, end, [&](const Covered& covered) {
      passes.at(seed, covered.pass);
      const unsigned taken = (1U << covered.take) - 1;
      back.walk(winners.data(), taken << covered.skip);
    });
    const std::lock_guard lock(mutex);
    for (std::size_t g = 0; g < own.size(); ++g) {
      for (std::size_t i = 0; i < own[g].samples.size(); ++i) {
        total[g].samples[i] += own[g].samples[i];
        total[g].latencies[i] += own[g].latencies[i];
      }
    }
  });
  return total;
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
