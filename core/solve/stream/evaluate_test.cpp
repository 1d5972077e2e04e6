// Traces that are read piece by piece: the same bits as in memory, and bounded memory.
#include "core/solve/stream/evaluate.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstring>

#include "core/drawn_for_tests.hpp"
#include "core/graph/from_trace.hpp"
#include "core/solve/breakpoints.hpp"
#include "core/solve/compile.hpp"
#include "core/solve/stream/programs_for_tests.hpp"
#include "core/trace/native/crc32c.hpp"
#include "core/trace/native/layout.hpp"

namespace latitude::solve {
namespace {

using trace::native::Pieces;
using trace::native::RandomProgram;

const std::vector<double> kTheta{100, 0, 55.5, 1e3, 12345.678, 1e6, 99.9};

/// The result in memory, or the error message if the analysis has none.
struct InMemory {
  std::vector<Tangent> right;
  std::vector<Tangent> left;
  Affine far;
  std::string error;
};

InMemory in_memory(const std::vector<std::string>& files, const graph::BuildOptions& build,
                   const model::Network& net, const Direction& along) {
  InMemory found;
  try {
    const auto [graph, network] = whole(files, build, net);
    const SweepPlan plan(compile(graph, network, along));
    found.right = plan.tangents(kTheta);
    found.left = plan.tangents(kTheta, Side::left);
    found.far = plan.asymptote();
  } catch (const InputError& error) {
    found.error = error.what();
  }
  return found;
}

TEST(Stream, HasTheBitsOfWhatIsInMemory) {
  const int programs = drawn(600, 3000);
  int ended = 0;
  for (unsigned seed = 0; ended < programs; ++seed) {
    const std::vector<std::string> files = RandomProgram(seed).files();
    std::mt19937 random(seed);
    const model::Network net = random_network(random, files.size());
    const Direction along = direction(net, static_cast<model::Theta>(seed % 3));
    const graph::BuildOptions build{.async_progress = seed % 4 == 0};
    const InMemory expected = in_memory(files, build, net, along);
    const Pieces pieces(names(files.size()), files);
    const auto count = 1 + random() % kTheta.size();
    const std::span<const double> theta = std::span(kTheta).first(count);
    const StreamOptions options{.window = 1U << (seed % 9),
                                .ahead = seed % 97,
                                .in_flight = seed % 5,
                                .threads = 1 + seed % 3};
    StreamFound found;
    try {
      found = evaluate_stream(pieces, build, net, along, theta, count, options);
    } catch (const InputError& error) {
      ASSERT_NE(expected.error, "") << "seed " << seed << ": " << error.what();
      continue;
    }
    ASSERT_EQ(expected.error, "") << "seed " << seed;
    ++ended;
    for (std::size_t k = 0; k < count; ++k) {
      ASSERT_EQ(found.right[k].value, expected.right[k].value) << "seed " << seed;
      ASSERT_EQ(found.right[k].slope, expected.right[k].slope) << "seed " << seed;
      ASSERT_EQ(found.left[k], expected.left[k].slope) << "seed " << seed;
    }
    ASSERT_EQ(found.far.slope, expected.far.slope) << "seed " << seed;
    ASSERT_EQ(found.far.constant, expected.far.constant) << "seed " << seed;
  }
}

/// A search in passes over the files.
CurveFound curve_of_files(const std::vector<std::string>& files, const model::Network& net,
                          const Direction& along, double high, const CurveSearch& search) {
  const Pieces pieces(names(files.size()), files);
  const auto tangents = [&](std::span<const double> theta, std::size_t left) {
    StreamFound found = evaluate_stream(pieces, {}, net, along, theta, left, {.threads = 1});
    for (std::size_t i = 0; i < left; ++i) found.right[i].slope = found.left[i];
    return found.right;
  };
  return curve_of(tangents, 0, high, search);
}

TEST(Stream, CriticalValuesHaveTheBitsOfThoseInMemory) {
  const int programs = drawn(600, 3000);
  int ended = 0;
  std::size_t most = 0;
  int bounded = 0;
  for (unsigned seed = 0; ended < programs; ++seed) {
    const std::vector<std::string> files = RandomProgram(seed).files();
    std::mt19937 random(seed);
    const model::Network net = random_network(random, files.size());
    const auto parameter = static_cast<model::Theta>(seed % 3);
    const Direction along = direction(net, parameter);
    const double high = parameter == model::Theta::G ? 10 : 1e5;
    const CurveSearch search{.most = seed % 4 == 0 ? 1 + seed % 3 : CurveSearch::kAll,
                             .within = 1e-6};
    CurveFound expected;
    try {
      const auto [graph, network] = whole(files, {}, net);
      expected = curve_of(SweepPlan(compile(graph, network, along)), 0, high, search);
    } catch (const InputError&) {
      continue;  // HasTheBitsOfWhatIsInMemory compares errors
    }
    const CurveFound found = curve_of_files(files, net, along, high, search);
    ++ended;
    ASSERT_EQ(found.breakpoints.size(), expected.breakpoints.size()) << "seed " << seed;
    for (std::size_t i = 0; i < found.breakpoints.size(); ++i) {
      ASSERT_EQ(found.breakpoints[i].theta, expected.breakpoints[i].theta) << "seed " << seed;
      ASSERT_EQ(found.breakpoints[i].value, expected.breakpoints[i].value) << "seed " << seed;
      ASSERT_EQ(found.breakpoints[i].left, expected.breakpoints[i].left) << "seed " << seed;
      ASSERT_EQ(found.breakpoints[i].right, expected.breakpoints[i].right) << "seed " << seed;
    }
    ASSERT_EQ(found.bound, expected.bound) << "seed " << seed;
    ASSERT_EQ(found.beyond.size(), expected.beyond.size()) << "seed " << seed;
    for (std::size_t i = 0; i < found.beyond.size(); ++i) {
      ASSERT_EQ(found.beyond[i].theta, expected.beyond[i].theta) << "seed " << seed;
      ASSERT_EQ(found.beyond[i].value, expected.beyond[i].value) << "seed " << seed;
      ASSERT_EQ(found.beyond[i].slope, expected.beyond[i].slope) << "seed " << seed;
    }
    most = std::max(most, found.breakpoints.size());
    bounded += found.beyond.empty() ? 0 : 1;
  }
  EXPECT_GT(most, 3U);
  EXPECT_GT(bounded, programs / 60);
}

const model::LogGPS kNetwork{.L = 1000, .o = 10, .G = 0.5, .S = 1 << 20};

StreamFound evaluated(const std::vector<std::string>& files, const model::Network& net = kNetwork,
                      const StreamOptions& options = {}) {
  const std::vector<double> theta{net.classes[0].L};
  return evaluate_stream(Pieces(names(files.size()), files), {}, net,
                         direction(net, model::Theta::L), theta, 1, options);
}

TEST(Stream, KeepsAsMuchOfALongTraceAsOfAShortOne) {
  const StreamFound brief = evaluated(exchange(1000, false));
  const StreamFound lasting = evaluated(exchange(8000, false));
  EXPECT_EQ(lasting.messages, 16000U);
  EXPECT_EQ(lasting.vertices - 2, 8 * (brief.vertices - 2));  // except for the end of either rank
  EXPECT_EQ(lasting.most_held, brief.most_held);
  EXPECT_LT(lasting.most_held, 1200U);
}

TEST(Stream, DoesNotDependOnHowLongChunksAre) {
  for (const bool wildcard : {false, true}) {
    const StreamFound brief = evaluated(exchange(4000, wildcard));
    const StreamFound lasting = evaluated(exchange(4000, wildcard, 5000));
    EXPECT_EQ(lasting.right[0].value, brief.right[0].value);
    EXPECT_EQ(lasting.vertices, brief.vertices);
    EXPECT_EQ(lasting.messages, 8000U);
  }
}

TEST(Stream, KeepsLessWhereLessIsReadAhead) {
  const std::vector<std::string> files = exchange(1000, false);
  std::uint64_t more = evaluated(files).most_held;
  for (const std::uint64_t ahead : {256U, 64U, 16U}) {
    const std::uint64_t held = evaluated(files, kNetwork, {.ahead = ahead}).most_held;
    EXPECT_LT(held, more) << ahead;
    more = held;
  }
}

TEST(Stream, CountsWhatTheGraphHas) {
  const std::vector<std::string> files = exchange(10, true);
  trace::Trace trace = trace::native::load(files);
  const graph::Graph graph = graph::build_graph(trace, {});
  const StreamFound found = evaluated(files);
  EXPECT_EQ(found.vertices, graph.vertices.size());
  EXPECT_EQ(found.edges, graph.edges());
  EXPECT_EQ(found.messages, graph.messages());
  EXPECT_EQ(found.bytes, graph.bytes());
  EXPECT_EQ(found.wildcards, 20U);
}

std::string error_of(const std::vector<std::string>& files, const model::Network& net = kNetwork) {
  try {
    evaluated(files, net);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string error_in_memory(const std::vector<std::string>& files,
                            const model::Network& net = kNetwork) {
  return in_memory(files, {}, net, direction(net, model::Theta::L)).error;
}

template <class First, class Second>
std::vector<std::string> two(First first, Second second) {
  std::vector<std::string> files;
  trace::native::FileWriter a(0, 2);
  a.init();
  first(a);
  files.push_back(trace::native::whole(std::move(a)));
  trace::native::FileWriter b(1, 2);
  b.init();
  second(b);
  files.push_back(trace::native::whole(std::move(b)));
  return files;
}

using trace::native::Fields;
using trace::native::FileWriter;

TEST(Stream, AMessageMayBeReceivedAfterManyOthersOfItsSender) {
  constexpr int kOthers = 200;
  constexpr int kLate = 9;
  const auto message = [](int peer, int tag) {
    return Fields().u(0).z(peer).z(tag).u(tag == kLate ? 1000 : 8);
  };
  // The messages come first, or the receives do.
  const auto sent_first = two(
      [&](FileWriter& file) {
        file.add("MPI_Send", "cptb", message(1, kLate));
        for (int i = 0; i < kOthers; ++i) file.gap(10).add("MPI_Send", "cptb", message(1, 5));
      },
      [&](FileWriter& file) {
        for (int i = 0; i < kOthers; ++i) file.add("MPI_Recv", "cptbs", message(0, 5).u(0));
        file.add("MPI_Recv", "cptbs", message(0, kLate).u(0));
      });
  const auto posted_first = two(
      [&](FileWriter& file) {
        file.add("MPI_Irecv", "cptbq", message(1, kLate).request(1));
        for (std::uint64_t request = 2; request < 2 + kOthers; ++request) {
          file.add("MPI_Irecv", "cptbq", message(1, 5).request(request));
          file.add("MPI_Wait", "Q", Fields().u(1).request(request).u(0));
        }
        file.add("MPI_Wait", "Q", Fields().u(1).request(1).u(0));
      },
      [&](FileWriter& file) {
        for (int i = 0; i < kOthers; ++i) file.gap(10).add("MPI_Send", "cptb", message(0, 5));
        file.add("MPI_Send", "cptb", message(0, kLate));
      });
  for (const std::vector<std::string>& files : {sent_first, posted_first}) {
    ASSERT_EQ(error_of(files), "");
    const model::Network net = kNetwork;
    const Direction along = direction(net, model::Theta::L);
    const InMemory expected = in_memory(files, {}, net, along);
    const StreamFound found =
        evaluate_stream(Pieces(names(files.size()), files), {}, net, along, kTheta, kTheta.size());
    EXPECT_EQ(found.messages, kOthers + 1U);
    for (std::size_t k = 0; k < kTheta.size(); ++k) {
      EXPECT_EQ(found.right[k].value, expected.right[k].value);
      EXPECT_EQ(found.right[k].slope, expected.right[k].slope);
    }
  }
}

TEST(Stream, NamesAMessageWithoutItsOtherEnd) {
  const auto nothing = [](FileWriter&) {};
  const auto lonely = two(
      [](FileWriter& file) { file.add("MPI_Recv", "cptbs", Fields().u(0).z(1).z(5).u(8).u(0)); },
      nothing);
  EXPECT_NE(error_of(lonely), "");
  EXPECT_EQ(error_of(lonely), error_in_memory(lonely));
  const auto unheard =
      two([](FileWriter& file) { file.add("MPI_Send", "cptb", Fields().u(0).z(1).z(5).u(8)); },
          nothing);
  EXPECT_NE(error_of(unheard), "");
  EXPECT_EQ(error_of(unheard), error_in_memory(unheard));
}

TEST(Stream, NamesACircle) {
  const auto sends_first = [](int to) {
    return [to](FileWriter& file) {
      file.add("MPI_Ssend", "cptb", Fields().u(0).z(to).z(5).u(8));
      file.add("MPI_Recv", "cptbs", Fields().u(0).z(to).z(5).u(8).u(0));
    };
  };
  const auto files = two(sends_first(1), sends_first(0));
  EXPECT_NE(error_of(files).find("wait for each other in a cycle"), std::string::npos)
      << error_of(files);
  EXPECT_NE(error_of(files).find("MPI_Ssend, line 2"), std::string::npos) << error_of(files);
  EXPECT_NE(error_in_memory(files).find("in a cycle"), std::string::npos);
}

TEST(Stream, NamesACollectiveThatIsNotCalledByAll) {
  const auto files = two([](FileWriter& file) { file.add("MPI_Barrier", "c", Fields().u(0)); },
                         [](FileWriter&) {});
  EXPECT_NE(error_of(files), "");
  EXPECT_EQ(error_of(files), error_in_memory(files));
}

TEST(Stream, NamesCollectivesOfDifferentRoots) {
  const auto from = [](int root) {
    return [root](FileWriter& file) {
      file.add("MPI_Bcast", "cpbef", Fields().u(0).z(root).u(8).u(1).u(0));
    };
  };
  const auto files = two(from(0), from(1));
  EXPECT_NE(error_of(files).find("(root 0) meets "), std::string::npos) << error_of(files);
  EXPECT_EQ(error_of(files), error_in_memory(files));
}

TEST(Stream, NamesTheByteWhereAFileIsDamaged) {
  std::vector<std::string> files = exchange(100, false);
  std::string& file = files[1];
  file[file.size() / 2] = static_cast<char>(file[file.size() / 2] ^ 0x55);
  EXPECT_NE(error_of(files).find("r1.lat: byte "), std::string::npos) << error_of(files);
  EXPECT_EQ(error_of(files), error_in_memory(files));
}

/// Changes a byte in one of a file's chunks of events, and the chunk's checksum.
void change_an_event(std::string& file, std::mt19937& random) {
  const auto bytes = [&](std::size_t from, std::size_t count) {
    return trace::Bytes(reinterpret_cast<const std::uint8_t*>(file.data()) + from, count);
  };
  trace::MemorySource source("file", bytes(0, file.size()));
  std::vector<trace::native::Chunk> chunks = trace::native::read_layout(source).chunks;
  std::erase_if(chunks, [](const trace::native::Chunk& chunk) {
    return chunk.kind != trace::native::ChunkKind::events;
  });
  const trace::native::Chunk& chunk = chunks[random() % chunks.size()];
  const std::size_t payload = chunk.offset + trace::native::kChunkHeaderSize;
  file[payload + random() % chunk.bytes] ^= static_cast<char>(1U << (random() % 4));
  const std::uint32_t crc = trace::native::crc32c(bytes(payload, chunk.bytes), chunk.head_crc);
  std::memcpy(file.data() + chunk.offset + 28, &crc, sizeof crc);
}

/// The result for files: T and the number of stored operations, or the error message.
std::string outcome(const std::vector<std::string>& files, const StreamOptions& options) {
  try {
    const std::vector<double> theta{kNetwork.L};
    const model::Network net = kNetwork;
    const StreamFound found = evaluate_stream(Pieces(names(files.size()), files), {}, net,
                                              direction(net, model::Theta::L), theta, 1, options);
    return std::to_string(found.right[0].value) + " " + std::to_string(found.most_held);
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Stream, ErrorsDoNotDependOnThreads) {
  std::mt19937 random(7);
  int wrong = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::vector<std::string> files = RandomProgram(seed).files();
    for (std::string& file : files) {  // in several ranks, so that their order matters
      change_an_event(file, random);
    }
    const std::uint32_t window = 1U << (seed % 5);
    const std::string expected = outcome(files, {.window = window, .threads = 1});
    for (const unsigned threads : {2U, 3U}) {
      ASSERT_EQ(outcome(files, {.window = window, .threads = threads}), expected)
          << "seed " << seed;
    }
    wrong += std::isdigit(static_cast<unsigned char>(expected[0])) != 0 ? 0 : 1;
  }
  EXPECT_GT(wrong, 100);
}

TEST(Stream, TellsHowMuchHasBeenRead) {
  const std::vector<std::string> files = exchange(1000, false);
  const std::uint64_t all = files[0].size() + files[1].size();
  for (const std::uint64_t every : {std::uint64_t{1}, all / 10, 2 * all}) {
    std::vector<std::uint64_t> told{0};
    const StreamOptions options{.progress = [&](std::uint64_t read) { told.push_back(read); },
                                .progress_bytes = every};
    outcome(files, options);
    for (std::size_t i = 1; i < told.size(); ++i) EXPECT_GE(told[i], told[i - 1] + every);
    EXPECT_LE(told.back(), all);
    const std::uint64_t most = every < all ? all - all / 4 : 0;
    EXPECT_GE(told.back(), most);
  }
}

TEST(Stream, SaysWhyItHasToHaveAllAtOnce) {
  model::LogGPS gap = kNetwork;
  gap.g = 5;
  gap.gap = model::Gap::send;
  EXPECT_THROW(evaluated(exchange(3, false), gap), NotInPiecesError);
}

}  // namespace
}  // namespace latitude::solve
