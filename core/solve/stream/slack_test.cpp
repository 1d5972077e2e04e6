// The slack of messages in traces that are read piece by piece equals that of an analysis in
// memory.
#include "core/solve/stream/slack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "core/drawn_for_tests.hpp"
#include "core/error.hpp"
#include "core/graph/from_trace.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/stream/programs_for_tests.hpp"
#include "core/solve/stream/tape.hpp"
#include "core/temporary_folder_for_tests.hpp"
#include "core/trace/native/load_for_tests.hpp"

namespace latitude::solve {
namespace {

using graph::CallRecord;
using trace::native::Pieces;
using trace::native::RandomProgram;

constexpr double kRounding = 1e-12;

/// By ends of the message, call and site of the receive, call and site of the send, communicator,
/// and class of size.
using Key = std::tuple<std::uint32_t, std::uint32_t, trace::Call, std::uint32_t, trace::Call,
                       std::uint32_t, std::uint32_t, std::uint8_t>;
struct ExpectedSlack {
  double T_ns = 0;
  std::map<Key, SlackSums> sums;
  std::size_t several = 0;  ///< messages by rendezvous
};

ExpectedSlack expected_slack(const std::vector<std::string>& files, const model::Network& net) {
  const auto [graph, network] = whole(files, {}, net);
  ExpectedSlack expected;
  expected.T_ns = critical_path(graph, network).T_ns;
  const MessageSlack slack = message_slack(graph, network);
  for (std::size_t i = 0; i < slack.receive.size(); ++i) {
    const graph::Vertex& receive = graph.vertices[slack.receive[i]];
    const graph::Vertex& send = graph.vertices[receive.partner];
    const CallRecord to = graph.calls[receive.origin];
    const CallRecord from = graph.calls[send.origin];
    const double ns = slack.slack_ns[i] <= kRounding * expected.T_ns ? 0 : slack.slack_ns[i];
    const auto bytes = static_cast<std::uint64_t>(send.value);
    if (send.synchronous || bytes > network.base.eager_limit(send.immediate)) ++expected.several;
    const Key key{graph.rank_of(receive.partner),
                  graph.rank_of(slack.receive[i]),
                  to.call,
                  to.site,
                  from.call,
                  from.site,
                  to.comm,
                  size_class(bytes)};
    expected.sums[key].add(ns, network.classes[0].L);
  }
  return expected;
}

std::map<Key, SlackSums> sums_of(const StreamSlack& found) {
  std::map<Key, SlackSums> sums;
  for (std::size_t i = 0; i < found.kinds.size(); ++i) {
    const MessageKind& kind = found.kinds[i];
    const SlackPlace to = found.places[kind.received];
    const SlackPlace from = found.places[kind.sent];
    const Key key{kind.source, kind.destination, to.call,   to.site,
                  from.call,   from.site,        kind.comm, kind.size};
    EXPECT_TRUE(sums.emplace(key, found.sums[i]).second) << "one kind twice";
  }
  return sums;
}

TEST(StreamSlack, IsThatOfEachMessageInMemory) {
  const TemporaryFolder folder;
  const int programs = drawn(600, 3000);
  int ended = 0;
  std::size_t several = 0;
  for (unsigned seed = 0; ended < programs; ++seed) {
    const std::vector<std::string> files = RandomProgram(seed).files();
    std::mt19937 random(seed);
    const model::Network net = random_network(random, files.size());
    const auto expected = unless_refused([&] { return expected_slack(files, net); });
    const StreamOptions options{
        .window = 1U << (seed % 9), .ahead = seed % 97, .in_flight = seed % 5};
    StreamSlack found;
    try {
      found = stream_slack(Pieces(names(files.size()), files), {}, net, folder.path(), kRounding,
                           options);
    } catch (const InputError& error) {
      ASSERT_FALSE(expected) << "seed " << seed << ": " << error.what();
      continue;
    }
    ASSERT_TRUE(expected) << "seed " << seed;
    ++ended;
    several += expected->several;
    EXPECT_NEAR(found.T_ns, expected->T_ns, 1e-12 * expected->T_ns);
    const std::map<Key, SlackSums> sums = sums_of(found);
    ASSERT_EQ(sums.size(), expected->sums.size()) << "seed " << seed;
    for (auto own = sums.begin(); const auto& [key, known] : expected->sums) {
      EXPECT_EQ(own->first, key);
      EXPECT_EQ(own->second.messages, known.messages);
      EXPECT_EQ(own->second.critical, known.critical);
      EXPECT_EQ(own->second.tight, known.tight);
      EXPECT_NEAR(own->second.least_ns, known.least_ns, 1e-12 * expected->T_ns);
      EXPECT_NEAR(own->second.sum_ns, known.sum_ns,
                  1e-11 * expected->T_ns * double(known.messages));
      ++own;
    }
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(several, unsigned(programs) / 3);
  EXPECT_EQ(folder.files(), 0U);
}

TEST(StreamSlack, SaysInWhichFolderItCannotWrite) {
  const std::vector<std::string> files = exchange(1, false);
  const model::LogGPS network{.L = 1000};
  const Pieces pieces(names(files.size()), files);
  try {
    stream_slack(pieces, {}, network, "/no/such", kRounding);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("/no/such: cannot write there (No such file"), 0U)
        << error.what();
  }
}

TEST(Tape, GoesBackOverWhatWasWritten) {
  const TemporaryFolder folder;
  std::mt19937_64 random(7);
  const auto any = [&](std::uint64_t most) {
    return static_cast<std::uint32_t>(random() % (most + 1) >> random() % 32);
  };
  const auto weight = [&] {
    return random() % 3 == 0 ? -1e300 * double(random() % 2) : double(random() % 40) / 7;
  };
  Tape tape(folder.path());
  std::vector<TapeStep> steps;
  for (int i = 0; i < 100000; ++i) {
    TapeStep step{.to = any(0xffffffff),
                  .from = {any(0xffffffff), any(0xffffffff)},
                  .weight = {weight(), weight()}};
    if (random() % 2 == 0) {
      step.receive = any(0xfffffffe);
      step.kind = any(0xffffffff);
      step.arrival = double(random());
      step.latencies = static_cast<std::uint8_t>(random());
      step.first = random() % 2 == 0;
    }
    steps.push_back(step);
    tape.add(step);
  }
  std::vector<double> told;
  tape.backwards(
      [&](const TapeStep& step) {
        const TapeStep& known = steps.back();
        ASSERT_EQ(
            std::tuple(step.to, step.from[0], step.from[1], step.weight[0], step.weight[1]),
            std::tuple(known.to, known.from[0], known.from[1], known.weight[0], known.weight[1]));
        ASSERT_EQ(step.receive, known.receive);
        if (known.hops()) {
          ASSERT_EQ(std::tuple(step.kind, step.arrival, step.latencies, step.first),
                    std::tuple(known.kind, known.arrival, known.latencies, known.first));
        }
        steps.pop_back();
      },
      [&](double share) { told.push_back(share); });
  EXPECT_TRUE(steps.empty());
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.back(), 1);
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace latitude::solve
