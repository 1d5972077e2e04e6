// Messages that would arrive before they left.
#include "core/trace/message_order.hpp"

#include <gtest/gtest.h>

#include "core/trace/event_args.hpp"
#include "core/trace/native/load_for_tests.hpp"

namespace latitude::trace {
namespace {

using native::Encoder;
using native::Fields;
using native::FileWriter;

constexpr std::int64_t kError = 7;

/// A file whose MPI_Init is entered 10 ns after `begin`, with the given clock and error.
FileWriter writer(std::uint32_t rank, std::uint64_t begin, std::int64_t offset,
                  std::int64_t error = kError, std::int64_t null_gap_ns = 0) {
  FileWriter file(rank, 2, 2);
  file.meta("{\"host\": \"n" + std::to_string(rank) +
            "\", \"null_gap_ns\": " + std::to_string(null_gap_ns) + "}");
  const auto at = [&](std::uint64_t own) {
    return Encoder().varint(own).zigzag(offset).varint(static_cast<std::uint64_t>(error)).bytes();
  };
  file.chunk(8, 1, at(begin - 500)).thread(0, begin).init();
  return file;
}

std::string ended(FileWriter file, std::uint64_t begin, std::int64_t offset,
                  std::int64_t error = kError) {
  const auto at = Encoder()
                      .varint(begin + 1'000'000)
                      .zigzag(offset)
                      .varint(static_cast<std::uint64_t>(error))
                      .bytes();
  return file.flush().chunk(8, 1, at).finalize().end().file();
}

Fields sends(std::int64_t to) { return Fields().u(0).z(to).z(3).u(8); }
Fields receives(std::int64_t from) { return Fields().u(0).z(from).z(3).u(8).as_asked(); }

MessageOrder order(const std::string& first, const std::string& other) {
  return order_of_messages(native::load({first, other}, Clock::recorded), 1);
}

/// Rank 0 enters a send at 1,025 by its clock. Rank 1, whose clock is `ahead`, receives it at 1,030
/// + `later` by its own clock.
MessageOrder of_one(std::int64_t ahead, std::int64_t later, std::int64_t offset) {
  FileWriter first = writer(0, 1000, 0);
  first.add("MPI_Send", "cptb", sends(1));
  const auto begin = static_cast<std::uint64_t>(1000 + ahead + later);
  FileWriter other = writer(1, begin, offset);
  other.add("MPI_Recv", "cptbs", receives(0));
  return order(ended(first, 1000, 0), ended(other, begin, offset));
}

TEST(MessageOrder, IsRightWhereClocksAre) {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  for (const std::int64_t ahead : {std::int64_t{0}, kHour}) {
    const MessageOrder found = of_one(ahead, 0, -ahead);
    EXPECT_EQ(found.messages, 1U);
    EXPECT_EQ(found.reversed, 0U);
    EXPECT_EQ(found.worst_ns, 0);
  }
}

TEST(MessageOrder, ReversedAreThoseBeyondWhatBothClocksMayBeOff) {
  // It leaves at 1,025 and arrives at 1,030 less the error of the clock.
  for (const std::int64_t wrong : {5, 19, 20, 100}) {
    const MessageOrder found = of_one(0, 0, -wrong);
    const std::int64_t early = wrong - 5;
    EXPECT_EQ(found.messages, 1U);
    EXPECT_EQ(found.reversed, early > 2 * kError ? 1U : 0U) << wrong;
    EXPECT_EQ(found.worst_ns, early > 2 * kError ? early : 0);
    if (found.reversed > 0) {
      EXPECT_EQ(found.source, 0U);
      EXPECT_EQ(found.destination, 1U);
    }
  }
}

TEST(MessageOrder, TheTracersOwnTimeCounts) {
  // Rank 0's tracer takes 5 ns of each gap: these 5 ns are not computation, but the times of the
  // calls include them.
  FileWriter first = writer(0, 1000, 0, 0, 5);
  for (int i = 0; i < 10; ++i) first.add("MPI_Barrier", "c", Fields().u(0));
  FileWriter other = writer(1, 1000, 0, 0);
  for (int i = 0; i < 10; ++i) other.add("MPI_Barrier", "c", Fields().u(0));
  first.add("MPI_Recv", "cptbs", receives(1));
  other.add("MPI_Send", "cptb", sends(0));
  const MessageOrder found = order(ended(first, 1000, 0, 0), ended(other, 1000, 0, 0));
  EXPECT_EQ(found.messages, 1U);
  EXPECT_EQ(found.reversed, 0U);
}

TEST(MessageOrder, AReceiveIsOverWhenItIsCompleted) {
  // The message is posted long before it leaves, and completed after.
  FileWriter first = writer(0, 1000, 0);
  first.gap(500).add("MPI_Isend", "cptbq", sends(1).request(1)).gap(10);
  first.add("MPI_Wait", "Q", Fields().u(1).request(1).as_asked());
  FileWriter other = writer(1, 1000, 0);
  other.add("MPI_Irecv", "cptbq", Fields().u(0).z(0).z(3).u(8).request(4));
  FileWriter early = other;
  other.gap(600).add("MPI_Wait", "Q", Fields().u(1).request(4).as_asked());
  early.gap(10).add("MPI_Wait", "Q", Fields().u(1).request(4).as_asked());
  const std::string sent = ended(first, 1000, 0);
  EXPECT_EQ(order(sent, ended(other, 1000, 0)).reversed, 0U);
  const MessageOrder found = order(sent, ended(early, 1000, 0));
  EXPECT_EQ(found.messages, 1U);
  EXPECT_EQ(found.reversed, 1U);
  EXPECT_EQ(found.worst_ns, 1515 - 1045);
}

TEST(MessageOrder, EachStartOfAPersistentReceiveIsAMessage) {
  const auto persistent = [](FileWriter file, const char* init, std::int64_t peer) {
    file.add(init, "cptbq", Fields().u(0).z(peer).z(3).u(8).request(1));
    for (int i = 0; i < 3; ++i) {
      file.add("MPI_Start", "R", Fields().u(1).request(1));
      file.add("MPI_Wait", "Q", Fields().u(1).request(1).as_asked());
    }
    return file;
  };
  const FileWriter first = persistent(writer(0, 1000, 0), "MPI_Send_init", 1);
  const FileWriter other = persistent(writer(1, 1000, 0), "MPI_Recv_init", 0);
  const MessageOrder found = order(ended(first, 1000, 0), ended(other, 1000, 0));
  EXPECT_EQ(found.messages, 3U);
  EXPECT_EQ(found.reversed, 0U);
  EXPECT_EQ(order(ended(first, 1000, 0),
                  ended(persistent(writer(1, 1000, -100), "MPI_Recv_init", 0), 1000, -100))
                .reversed,
            3U);
}

TEST(MessageOrder, OfARankToItselfIsNotLookedAt) {
  FileWriter first = writer(0, 1000, 0);
  first.add("MPI_Isend", "cptbq", sends(0).request(1));
  first.add("MPI_Recv", "cptbs", receives(0));
  first.add("MPI_Wait", "Q", Fields().u(1).request(1).as_asked());
  FileWriter other = writer(1, 1000, 0);
  other.add("MPI_Barrier", "c", Fields().u(0));
  EXPECT_EQ(order(ended(first, 1000, 0), ended(other, 1000, 0)).messages, 0U);
}

}  // namespace
}  // namespace latitude::trace
