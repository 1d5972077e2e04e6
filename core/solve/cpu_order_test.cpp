// The operation that a CPU takes first: the order of the file against a simulator of CPUs that do
// one thing after the other, and first come, first served at the baseline.
#include "core/solve/cpu_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/graph/goal/goal.hpp"
#include "core/model/loggps_for_tests.hpp"
#include "core/solve/compile.hpp"
#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {
namespace {

using graph::Graph;
using graph::parse_goal_text;
using model::Gap;
using model::kEager;
using model::LogGPS;
using model::Network;
using model::Rendezvous;

/// An operation as a GOAL file has it.
struct Op {
  enum class Kind { calc, send, recv } kind = Kind::calc;
  std::int64_t value = 0;
  std::size_t rank = 0;
  std::size_t partner = 0;  ///< index of the message's other end
  int cpu = 0;
  int nic = 0;
  std::vector<std::pair<std::size_t, bool>>
      needs{};  ///< an earlier one, and whether only its start counts
};

/// Operations of all ranks, those of a rank in the order of its file.
using Program = std::vector<Op>;

/// Messages of more than 10 bytes are rendezvous.
Network with_handshakes() {
  LogGPS costs{.L = 500, .o = 100, .S = 10};
  costs.rendezvous = Rendezvous::handshake;
  return costs;
}

std::string text_of(const Program& program, std::size_t ranks) {
  std::string text = "num_ranks " + std::to_string(ranks) + "\n";
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    text += "rank " + std::to_string(rank) + " {\n";
    for (std::size_t i = 0; i < program.size(); ++i) {
      const Op& op = program[i];
      if (op.rank != rank) continue;
      const std::string label = std::string("l").append(std::to_string(i));
      text += label + ": ";
      if (op.kind == Op::Kind::calc) {
        text += "calc " + std::to_string(op.value);
      } else {
        const bool sends = op.kind == Op::Kind::send;
        text += (sends ? "send " : "recv ") + std::to_string(op.value) + "b ";
        text += (sends ? "to " : "from ") + std::to_string(program[op.partner].rank);
        text += " tag " + std::to_string(sends ? i : op.partner);
        text += " nic " + std::to_string(op.nic);
      }
      text += " cpu " + std::to_string(op.cpu) + "\n";
      for (const auto& [on, start_only] : op.needs) {
        text += label + (start_only ? " irequires l" : " requires l") + std::to_string(on) + "\n";
      }
    }
    text += "}\n";
  }
  return text;
}

class RandomPrograms {
 public:
  explicit RandomPrograms(std::uint32_t seed) : random_(seed) {}

  std::pair<Program, std::size_t> make() {
    const std::size_t ranks = 1 + below(4);
    std::vector<std::vector<Op>> of_rank(ranks);
    std::vector<std::pair<std::size_t, std::size_t>> ends;  // rank, place: send, recv, send, …
    const std::size_t operations = 2 + below(30);
    for (std::size_t i = 0; i < operations; ++i) {
      const std::size_t from = below(ranks);
      const std::size_t to = below(ranks);
      if (below(2) == 0 || from == to) {
        add(of_rank[from], Op::Kind::calc, below(5000));
        continue;
      }
      const std::int64_t bytes = 1 + below(300);
      for (const auto& [rank, kind] : {std::pair{from, Op::Kind::send}, {to, Op::Kind::recv}}) {
        ends.emplace_back(rank, of_rank[rank].size());
        add(of_rank[rank], kind, bytes).partner = ends.size() - 1;
      }
      if (below(4) == 0 && of_rank[from].size() > 1) {  // a send after an operation that it should
                                                        // precede
        const std::size_t other = below(of_rank[from].size() - 1);
        std::swap(of_rank[from][other], of_rank[from].back());
        for (const std::size_t place : {other, of_rank[from].size() - 1}) {
          const Op& moved = of_rank[from][place];
          if (moved.kind != Op::Kind::calc) ends[moved.partner] = {from, place};
        }
      }
    }
    Program program;
    std::vector<std::size_t> begin;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      begin.push_back(program.size());
      for (Op op : of_rank[rank]) {
        op.rank = rank;
        const std::size_t place = program.size() - begin[rank];
        for (std::size_t needs = place == 0 ? 0 : below(3); needs > 0; --needs) {
          op.needs.emplace_back(begin[rank] + below(place), below(4) == 0);
        }
        program.push_back(op);
      }
    }
    for (Op& op : program) {
      if (op.kind == Op::Kind::calc) continue;
      const auto& [rank, place] = ends[op.partner ^ 1U];
      op.partner = begin[rank] + place;
    }
    return {program, ranks};
  }

  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

 private:
  Op& add(std::vector<Op>& to, Op::Kind kind, std::size_t value) {
    static constexpr int kCpus[] = {0, 1, 255, 256, 300};
    to.push_back({.kind = kind,
                  .value = static_cast<std::int64_t>(value),
                  .cpu = below(3) == 0 ? static_cast<int>(below(301)) : kCpus[below(5)],
                  .nic = static_cast<int>(below(8)),
                  .needs = {}});
    return to.back();
  }

  std::mt19937 random_;
};

/// T if each CPU does one operation of the file after the other, with eager messages; none if
/// operations wait for each other forever. This simulator has no graph: an operation at the head of
/// its CPU is done as soon as all that it needs is known, however late that is.
std::optional<double> in_order(const Program& program, const LogGPS& network) {
  struct Known {
    std::optional<double> ready, begun, end;
  };
  std::vector<Known> known(program.size());
  std::map<std::pair<std::size_t, int>, std::vector<std::size_t>> cpus;
  for (std::size_t i = 0; i < program.size(); ++i) {
    cpus[{program[i].rank, program[i].cpu}].push_back(i);
  }
  std::map<std::pair<std::size_t, int>, double> free_cpu;
  std::map<std::pair<std::size_t, int>, std::size_t> next_on;
  std::vector<std::optional<std::size_t>> sent_before(program.size());
  std::map<std::pair<std::size_t, int>, std::size_t> last_on_nic;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].kind != Op::Kind::send || network.gap == Gap::none) continue;
    const std::pair nic{program[i].rank, program[i].nic};
    if (last_on_nic.contains(nic)) sent_before[i] = last_on_nic[nic];
    last_on_nic[nic] = i;
  }
  const auto body = [&](const Op& op) { return static_cast<double>(op.value - 1) * network.G; };
  for (bool moved = true; std::exchange(moved, false);) {
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (known[i].ready) continue;
      double ready = 0;
      bool all = true;
      for (const auto& [on, start_only] : program[i].needs) {
        const auto& needed = start_only ? known[on].begun : known[on].end;
        all = all && needed;
        ready = std::max(ready, needed.value_or(0));
      }
      if (!all) continue;
      known[i].ready = ready;
      if (program[i].kind == Op::Kind::recv) known[i].begun = ready;
      moved = true;
    }
    for (const auto& [cpu, queue] : cpus) {
      std::size_t& next = next_on[cpu];
      if (next == queue.size()) continue;
      const std::size_t i = queue[next];
      const Op& op = program[i];
      if (!known[i].ready) continue;
      double at = std::max(*known[i].ready, free_cpu[cpu]);
      double takes = network.o;
      if (op.kind == Op::Kind::calc) {
        takes = static_cast<double>(op.value);
      } else if (op.kind == Op::Kind::recv) {
        if (!known[op.partner].begun) continue;
        at = std::max(at, *known[op.partner].begun + network.o + network.L + body(op));
      } else if (sent_before[i]) {
        const auto& before = known[*sent_before[i]].begun;
        if (!before) continue;
        at = std::max(at, *before + std::max(network.g, body(program[*sent_before[i]])));
      }
      if (op.kind != Op::Kind::recv) known[i].begun = at;
      known[i].end = free_cpu[cpu] = at + takes;
      ++next;
      moved = true;
    }
  }
  double last = 0;
  for (const Known& each : known) {
    if (!each.end) return std::nullopt;
    last = std::max(last, *each.end);
  }
  return last;
}

std::vector<double> latencies() {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(std::floor(10 * std::pow(1.5, i)));
  return values;
}

TEST(CpuOrder, FileIsWhatCpusDoOneAfterTheOther) {
  const std::vector<double> at = latencies();
  int runs = 0;
  int stuck = 0;
  int moved = 0;
  for (std::uint32_t seed = 0; seed < 10000; ++seed) {
    RandomPrograms random(seed);
    const auto [program, ranks] = random.make();
    LogGPS network{.L = 1000, .o = 200, .G = 3, .S = kEager};
    if (seed % 3 == 1) {
      network.g = 700;
      network.gap = Gap::send;
    }
    if (seed % 7 == 1) network.o = 0;
    const Graph graph = parse_goal_text(text_of(program, ranks), "random.goal");
    const bool runs_here = in_order(program, network).has_value();
    Graph ordered;
    try {
      ordered = in_file_order(graph, network);
    } catch (const InputError& error) {
      ASSERT_FALSE(runs_here) << "seed " << seed << ": " << error.what();
      ASSERT_NE(std::string(error.what()).find("cycle"), std::string::npos);
      ++stuck;
      continue;
    }
    ASSERT_TRUE(runs_here) << "seed " << seed;
    ASSERT_LE(ordered.deps.size(), graph.deps.size() + graph.vertices.size());
    const std::vector<double> found =
        SweepPlan(compile(ordered, network, model::Theta::L)).runtimes(at, 4);
    const std::vector<double> without =
        SweepPlan(compile(graph, network, model::Theta::L)).runtimes(at, 4);
    for (std::size_t i = 0; i < at.size(); ++i) {
      network.L = at[i];
      ASSERT_EQ(found[i], in_order(program, network).value_or(-1)) << "seed " << seed;
      ASSERT_LE(without[i], found[i]);
    }
    ++runs;
    moved += found.front() > without.front() ? 1 : 0;
  }
  EXPECT_GT(runs, 5000);
  EXPECT_GT(stuck, 20);
  EXPECT_GT(moved, 2000);
}

TEST(CpuOrder, TheBaselinesOrderIsOneThatRunsAndNothingOverlaps) {
  const std::vector<double> at = latencies();
  std::uint64_t flips = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    RandomPrograms random(seed);
    const auto [program, ranks] = random.make();
    LogGPS base{.L = 1000, .o = 200, .G = 3, .S = seed % 2 == 0 ? kEager : 100};
    base.rendezvous = model::kReadings[seed % 5];
    const Network network = base;
    const Graph graph = parse_goal_text(text_of(program, ranks), "random.goal");
    std::optional<SweepPlan> plain;
    try {
      plain.emplace(compile(graph, network, model::Theta::L));
    } catch (const InputError&) {
      continue;  // rendezvous that wait for each other
    }
    const auto places = [&](const Graph& of, double L) {
      return service(of, network, direction(network, model::Theta::L), L);
    };
    const Graph ordered = in_order_of(graph, places(graph, base.L));
    ASSERT_LE(choices(ordered), graph.vertices.size());
    ASSERT_EQ(otherwise(ordered, places(ordered, base.L)), 0U) << "seed " << seed;
    ASSERT_EQ(overlapping(Schedule(ordered, network)), 0U) << "seed " << seed;
    flips += otherwise(ordered, places(ordered, 20 * base.L));
    // Repeatable: an order replaces the one before.
    ASSERT_EQ(choices(in_order_of(ordered, places(ordered, base.L))), choices(ordered));
    const std::vector<double> found =
        SweepPlan(compile(ordered, network, model::Theta::L)).runtimes(at, 4);
    const std::vector<double> without = plain->runtimes(at, 4);
    for (std::size_t i = 0; i < at.size(); ++i) {
      ASSERT_LE(without[i], found[i]) << "seed " << seed;
      if (i < 2) continue;
      const double before = (found[i - 1] - found[i - 2]) / (at[i - 1] - at[i - 2]);
      const double after = (found[i] - found[i - 1]) / (at[i] - at[i - 1]);
      ASSERT_LE(before, after * (1 + 1e-9)) << "seed " << seed << ": not convex";
    }
  }
  EXPECT_GT(flips, 100U);
}

/// Rank 0 computes; during this time a message comes, and a send waits for the CPU.
constexpr const char* kMeanwhile =
    "num_ranks 2\n"
    "rank 0 {\n"
    "r: recv 1b from 1 tag 1\n"
    "c: calc 1000\n"
    "s: send 1b to 1 tag 2\n"
    "s irequires c\n"
    "}\n"
    "rank 1 {\n"
    "s: send 1b to 0 tag 1\n"
    "r: recv 1b from 0 tag 2\n"
    "}\n";

TEST(CpuOrder, WhoWaitsLongestIsServedFirst) {
  const Graph graph = parse_goal_text(kMeanwhile, "t.goal");
  const Network network = LogGPS{.L = 500, .o = 100, .S = kEager};
  const auto runtime = [&](const Graph& of) {
    return SweepPlan(compile(of, network, model::Theta::L)).tangent(500).value;
  };
  // Without an order all operations overlap: the answer leaves at 0 and arrives at 600.
  EXPECT_EQ(runtime(graph), 1000);
  EXPECT_EQ(overlapping(Schedule(graph, network)), 2U);
  // The computation lasts until 1000. The answer was known when it began, before the message was
  // sent, so the answer goes first, until 1100. It arrives at 1600 and is received until 1700.
  const auto places = service(graph, network, direction(network, model::Theta::L), 500);
  const Graph ordered = in_order_of(graph, places);
  EXPECT_EQ(runtime(ordered), 1700);
  EXPECT_EQ(choices(ordered), 2U);
  // In the order of the file the message, which arrives at 600, comes before all.
  EXPECT_EQ(runtime(in_file_order(graph, network)), 2400);
}

TEST(CpuOrder, AReceiveIsPostedBeforeItsTurn) {
  const Graph graph = parse_goal_text(
      "num_ranks 2\n"
      "rank 0 {\n"
      "c: calc 10000\n"
      "r: recv 1000b from 1\n"
      "x: calc 5 cpu 1\n"
      "x irequires r\n"
      "}\n"
      "rank 1 {\n"
      "s: send 1000b to 0\n"
      "t: calc 7\n"
      "t requires s\n"
      "}\n",
      "t.goal");
  const Network network = with_handshakes();
  const Graph ordered = in_file_order(graph, network);
  const Schedule schedule(ordered, network);
  EXPECT_EQ(schedule.start_ns(2), 0);    // operations that need only its start
  EXPECT_EQ(schedule.end_ns(1), 10100);  // the data arrived long ago
  EXPECT_EQ(schedule.end_ns(3), 1300);   // o + L, L and 2o: no operation has waited for the CPU
  EXPECT_EQ(schedule.end_ns(4), 1307);
}

TEST(CpuOrder, ASenderGoesOnBeforeItsReceivesTurn) {
  // An operation that the CPU takes first comes after the end of a rendezvous whose receive it
  // takes next.
  const Graph graph = parse_goal_text(
      "num_ranks 2\n"
      "rank 0 {\n"
      "x: calc 5000 cpu 1\n"
      "c: recv 8b from 1 tag 2\n"
      "r: recv 1000b from 1 tag 1\n"
      "r requires x\n"
      "}\n"
      "rank 1 {\n"
      "s: send 1000b to 0 tag 1\n"
      "t: send 8b to 0 tag 2\n"
      "t requires s\n"
      "}\n",
      "t.goal");
  const Network network = with_handshakes();
  const Schedule schedule(in_file_order(graph, network), network);
  EXPECT_EQ(schedule.end_ns(3), 5700);  // the match at 5000, L and 2o
  EXPECT_EQ(schedule.end_ns(1), 6400);  // sent at 5700, there at 6300
  EXPECT_EQ(schedule.end_ns(2), 6500);  // there at 6200; its turn
}

TEST(CpuOrder, AFilesOrderThatCannotRunNamesTheCircle) {
  const Graph graph = parse_goal_text(
      "num_ranks 2\n"
      "rank 0 {\nr: recv 1b from 1\ns: send 1b to 1\n}\n"
      "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\n}\n",
      "t.goal");
  const Network network = LogGPS{.L = 500, .o = 100, .S = kEager};
  try {
    in_file_order(graph, network);
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("in the order of the file on each cpu, operations wait"), message.npos);
    EXPECT_NE(message.find("[rank 0: recv 1 B from rank 1]"), message.npos) << message;
    EXPECT_NE(message.find("[rank 1: send 1 B to rank 0]"), message.npos) << message;
    EXPECT_NE(message.find("--cpu-order baseline"), message.npos);
  }
}

}  // namespace
}  // namespace latitude::solve
