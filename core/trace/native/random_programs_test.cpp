// Random programs: read from Latitude's format, and from the liballprof text made from it, they
// have the same execution graph.
#include <gtest/gtest.h>

#include <optional>

#include "core/graph/from_trace.hpp"
#include "core/graph/same_for_tests.hpp"
#include "core/solve/critical_path.hpp"
#include "core/temporary_folder_for_tests.hpp"
#include "core/trace/liballprof/liballprof.hpp"
#include "core/trace/liballprof/write/write.hpp"
#include "core/trace/native/random_program_for_tests.hpp"

namespace latitude::trace::native {
namespace {

TEST(NativeRandomPrograms, AreTheSameGraphAsLiballprofText) {
  const TemporaryFolder folder;
  constexpr unsigned kPrograms = 400;
  unsigned read = 0;
  std::uint64_t messages = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    // The text lacks failed polls, so both files count failed polls as computation.
    Trace native = load(RandomProgram(seed, 40, 0).files());
    write_liballprof(native, folder.path(), 1);
    std::vector<std::string> paths;
    for (std::size_t r = 0; r < native.ranks.size(); ++r) {
      paths.push_back(folder / ("pmpi-trace-rank-" + std::to_string(r) + ".txt"));
    }
    Trace text;
    try {
      text = read_liballprof(paths, 1);
    } catch (const InputError& error) {
      // MPI_Comm_create does not show the members, and neither can the text.
      ASSERT_NE(std::string(error.what()).find("does not prove"), std::string::npos)
          << "seed " << seed << ": " << error.what();
      continue;
    }
    ++read;
    const graph::Graph a = graph::build_graph(native, {});
    const graph::Graph b = graph::build_graph(text, {});
    ASSERT_TRUE(graph::same(a, b)) << "seed " << seed;
    messages += a.messages();
  }
  EXPECT_GT(read, kPrograms * 3 / 4);
  EXPECT_GT(messages, 20 * read);
}

/// T of a program, if it can end: in some programs, a rank sends itself an MPI_Ssend before the
/// receive.
std::optional<double> runtime(const graph::Graph& graph) {
  try {
    return solve::critical_path(graph, model::LogGPS{.L = 100, .o = 3, .G = 1, .S = 1 << 20}).T_ns;
  } catch (const InputError&) {
    return {};
  }
}

TEST(NativeRandomPrograms, TracedTimesChangeNothingElse) {
  std::size_t added = 0;
  int ended = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Trace trace = load(RandomProgram(seed).files());
    trace.no_common_clock.clear();
    const graph::Graph plain = graph::build_graph(trace, {});
    const graph::Graph timed = graph::build_graph(trace, {.traced_times = true});
    ASSERT_EQ(timed.traced_ns.size(), timed.vertices.size());
    EXPECT_EQ(timed.messages(), plain.messages());
    EXPECT_EQ(runtime(timed), runtime(plain));
    ended += runtime(plain).has_value() ? 1 : 0;
    for (std::uint32_t rank = 0; rank < timed.ranks(); ++rank) {
      std::vector<std::int64_t> times;
      std::int64_t computed = 0;
      for (auto v = timed.rank_begin[rank]; v < timed.rank_begin[rank + 1]; ++v) {
        if (timed.traced_ns[v] == graph::kNotTraced) continue;
        times.push_back(timed.traced_ns[v]);
        computed += timed.vertices[v].value;
      }
      EXPECT_TRUE(std::ranges::is_sorted(times));
      const std::vector<Event>& events = trace.ranks[rank].events;
      EXPECT_GE(times.front(), events[1].enter_ns - events[0].leave_ns);
      EXPECT_LE(computed, times.back());
    }
    added += timed.vertices.size() - plain.vertices.size();
  }
  EXPECT_GT(ended, 10);
  EXPECT_GT(added, 0U);  // calls that follow each other immediately
}

}  // namespace
}  // namespace latitude::trace::native
