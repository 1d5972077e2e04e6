// Incomplete files, chunks, threads.

#include <algorithm>
#include <fstream>

#include "core/temporary_folder_for_tests.hpp"
#include "core/trace/liballprof/text_for_tests.hpp"

namespace latitude::trace {
namespace {

TEST(WholeFile, EveryDefectIsNamed) {
  EXPECT_TRUE(says(error_of({""}), {"r0.txt:0: is empty: no MPI_Finalize"}));
  EXPECT_TRUE(says(error_of({"MPI_Init:-:0:0:84\n"}), {"r0.txt:1: truncated: no MPI_Finalize"}));
  EXPECT_TRUE(says(error_of({"MPI_Init:-:0:0:84\nMPI_Finalize:9"}),
                   {"r0.txt:2: truncated: the last record is incomplete"}));
  EXPECT_TRUE(
      says(error_of({"MPI_Init:-:0:0:84\nMPI_Wtime:90:91"}), {"truncated: no MPI_Finalize"}));
  EXPECT_EQ(error_of({"MPI_Init:-:0:0:84\r\nMPI_Finalize:99:-"}), "");
  EXPECT_TRUE(
      says(error_of({"MPI_Barrier:1:0,0,1:2\n"}), {"r0.txt:1: MPI_Barrier comes before MPI_Init"}));
  EXPECT_TRUE(
      says(error_of({"MPI_Init:-:0:0:1\nMPI_Init:-:0:0:2\n"}), {"r0.txt:2: MPI_Init comes twice"}));
  const std::string whole = File().text();
  EXPECT_TRUE(
      says(error_of({whole + "MPI_Barrier:500:0,0,1:501\n"}), {"comes after MPI_Finalize"}));
  EXPECT_EQ(error_of({whole + "MPI_Finalized:-1:5:2\n"}).empty(), false);
  EXPECT_EQ(error_of({whole + "MPI_Finalized:5:5:6\n"}), "");
  EXPECT_TRUE(says(error_of({whole + whole}), {"comes twice"}));
  EXPECT_TRUE(
      says(error_of({"MPI_Init:-:0:0:1\nMPI_Frob:1:2\n"}), {"r0.txt:2: 'MPI_Frob' is no call"}));
  EXPECT_TRUE(says(error_of({std::string(20u << 20, 'x')}), {"r0.txt:1: is longer than 16 MiB"}));
}

TEST(WholeFile, ChunksDoNotMatter) {
  const std::string text = File()
                               .add("MPI_Send", "1:64:10,8,8:0:7:0,0,1")
                               .add("MPI_Recv", "1:64:10,8,8:0:7:0,0,1:0")
                               .text();
  for (std::size_t size = 1; size < text.size(); ++size) {
    LiballprofLoader loader({"a"});
    for (std::size_t i = 0; i < text.size(); i += size) {
      const std::vector<char> chunk(
          text.begin() + static_cast<long>(i),
          text.begin() + static_cast<long>(std::min(text.size(), i + size)));
      loader.feed(0, {chunk.data(), chunk.size()});
    }
    EXPECT_EQ(loader.finish().ranks[0].events[1].bytes, 512u);
  }
}

TEST(Files, AreReadInParallelAndInOrder) {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  for (int r = 0; r < 5; ++r) {
    paths.push_back(folder / str("rank-", r, ".txt"));
    std::ofstream(paths.back()) << File().add("MPI_Barrier", comm(0, r, 5)).text();
  }
  const Trace trace = read_liballprof(paths, 3);
  ASSERT_EQ(trace.ranks.size(), 5u);
  EXPECT_EQ(trace.ranks[4].source, paths[4]);
  EXPECT_EQ(trace.ranks[4].events.size(), 3u);

  std::swap(paths[2], paths[3]);
  try {
    read_liballprof(paths, 0);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(says(error.what(), {paths[2], "the file of rank 3, given as that of rank 2"}));
  }
  paths[2] = folder / "missing";
  EXPECT_THROW(read_liballprof(paths, 2), InputError);
  paths[2] = folder.path();
  EXPECT_THROW(read_liballprof(paths, 2), InputError);
  EXPECT_THROW(read_liballprof({}, 2), InputError);
}

TEST(Files, AllRanksOfTheWorldMustBeThere) {
  EXPECT_TRUE(
      says(error_of({File().add("MPI_Barrier", "0,0,3"), File().add("MPI_Barrier", "0,1,3")}),
           {"r0.txt:2: MPI_COMM_WORLD has 3 processes, but 2 trace files were given"}));
}

}  // namespace
}  // namespace latitude::trace
