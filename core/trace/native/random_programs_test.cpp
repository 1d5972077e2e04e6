// Random programs: read from our format, and from the liballprof text written from that, they are
// one execution graph.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/graph/from_trace.hpp"
#include "core/graph/same_for_tests.hpp"
#include "core/trace/liballprof/liballprof.hpp"
#include "core/trace/liballprof/write.hpp"
#include "core/trace/native/random_program_for_test.hpp"

namespace latitude::trace::native {
namespace {

TEST(NativeRandomPrograms, AreTheSameGraphAsLiballprofText) {
  const std::filesystem::path directory = testing::TempDir() + "latitude-native-random";
  std::filesystem::create_directories(directory);
  constexpr unsigned kPrograms = 400;
  unsigned read = 0;
  std::uint64_t messages = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    Trace native = load(RandomProgram(seed).files());
    write_liballprof(native, directory.string(), 1);
    std::vector<std::string> paths;
    for (std::size_t r = 0; r < native.ranks.size(); ++r) {
      paths.push_back(directory / ("pmpi-trace-rank-" + std::to_string(r) + ".txt"));
    }
    Trace text;
    try {
      text = read_liballprof(paths, 1);
    } catch (const InputError& error) {
      // MPI_Comm_create does not show who became a member, and the text cannot say it either.
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
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace latitude::trace::native
