#include "core/trace/liballprof/line.hpp"

#include <gtest/gtest.h>

#include "core/trace/liballprof/grammar.hpp"
#include "core/trace/line_buffer.hpp"
#include "core/trace/number.hpp"

namespace latitude::trace::liballprof {
namespace {

bool parse(const std::string& line, Record& record) {
  return parse_line(line.data(), line.data() + line.size(), record);
}

TEST(Number, ReadsUnsignedUpTo64Bits) {
  std::uint64_t value = 0;
  EXPECT_NE(read_unsigned("18446744073709551615", value), nullptr);
  EXPECT_EQ(value, 18446744073709551615u);
  EXPECT_EQ(read_unsigned("18446744073709551616", value), nullptr);
  EXPECT_EQ(read_unsigned("100000000000000000000", value), nullptr);
  EXPECT_EQ(read_unsigned("", value), nullptr);
  EXPECT_EQ(read_unsigned("x", value), nullptr);
}

TEST(Number, SignedAndUnsignedHandlesHaveTheSameBits) {
  std::uint64_t fortran = 0;
  std::uint64_t c = 0;
  ASSERT_NE(read_handle("-2080374784", fortran), nullptr);
  ASSERT_NE(read_handle("18446744071629176832", c), nullptr);
  EXPECT_EQ(fortran, c);
  EXPECT_EQ(read_handle("-9223372036854775809", c), nullptr);
  EXPECT_EQ(read_handle("--1", c), nullptr);
}

TEST(Number, IntMustFit) {
  std::int32_t value = 0;
  EXPECT_NE(read_int("-2147483648", value), nullptr);
  EXPECT_EQ(value, std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(read_int("-2147483649", value), nullptr);
  EXPECT_EQ(read_int("2147483648", value), nullptr);
  EXPECT_EQ(read_int("-", value), nullptr);
}

TEST(Number, TimesBecomeNanosecondsExactly) {
  const auto ns = [](const char* text) {
    std::int64_t value = -7;
    const char* const end = read_time(text, value);
    return end != nullptr && *end == '\0' ? value : -7;
  };
  EXPECT_EQ(ns("184"), 184000);
  EXPECT_EQ(ns("184.608"), 184608);
  EXPECT_EQ(ns("184.6"), 184600);
  EXPECT_EQ(ns("0.0004"), 0);
  EXPECT_EQ(ns("0.0005"), 1);
  EXPECT_EQ(ns("0.9996999999999999999999999"), 1000);
  EXPECT_EQ(ns("1237666053021692.000000"), 1237666053021692000);
  EXPECT_EQ(ns("9223372036854775"), -7);
  EXPECT_EQ(ns("1."), -7);
  EXPECT_EQ(ns(".5"), -7);
  EXPECT_EQ(ns("1e3"), -7);
}

TEST(Grammar, FindsEveryCallAndNoOther) {
  ASSERT_GT(call_syntax_count(), 350u);
  for (std::size_t i = 0; i < call_syntax_count(); ++i) {
    EXPECT_EQ(find_call(call_syntax(i).name), &call_syntax(i));
  }
  EXPECT_EQ(find_call("MPI_"), nullptr);
  EXPECT_EQ(find_call("MPI"), nullptr);
  EXPECT_EQ(find_call(""), nullptr);
  EXPECT_EQ(find_call("MPI_Sendx"), nullptr);
  EXPECT_EQ(find_call("PMPI_Send"), nullptr);
}

TEST(Grammar, CallsOutsideTheListOfCallsAreLocal) {
  EXPECT_EQ(find_call("MPI_Comm_rank")->call_class, CallClass::local);
  EXPECT_EQ(find_call("MPI_Win_fence")->call_class, CallClass::unsupported);
  EXPECT_EQ(find_call("MPI_File_write_all")->call_class, CallClass::unsupported);
  EXPECT_TRUE(find_call("MPI_Cart_create")->makes_comm);
  EXPECT_FALSE(find_call("MPI_Comm_free")->makes_comm);
}

TEST(Line, ReadsEveryField) {
  Record r;
  ASSERT_TRUE(
      parse("MPI_Irecv:272:94267529573904:64:10,8,8:1:101:94266891747968,0,8:"
            "140733453605472:325",
            r));
  EXPECT_EQ(r.syntax->name, "MPI_Irecv");
  EXPECT_EQ(r.enter_ns, 272000);
  EXPECT_EQ(r.leave_ns, 325000);
  EXPECT_EQ(r.count[0], 64);
  EXPECT_EQ(r.type_size[0], 8);
  EXPECT_EQ(r.peer[0], 1);
  EXPECT_EQ(r.tag[0], 101);
  EXPECT_EQ(r.comms, 1);
  EXPECT_EQ(r.comm[0].handle, 94266891747968u);
  EXPECT_EQ(r.comm[0].rank, 0);
  EXPECT_EQ(r.comm[0].size, 8);
  EXPECT_EQ(r.request, 140733453605472u);
}

TEST(Line, ReadsCountsAndTwoSides) {
  Record r;
  ASSERT_TRUE(parse("MPI_Alltoallv:1:10:20:1,2:30:0,1:1,4,4:40:50:3,-4:60:0,3:2,8,8:0,1,2:9", r));
  EXPECT_EQ(r.counts[0], (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(r.counts[1], (std::vector<std::int32_t>{3, -4}));
  EXPECT_EQ(r.type_size[0], 4);
  EXPECT_EQ(r.type_size[1], 8);
  EXPECT_EQ(r.send_buffer, 10u);
}

TEST(Line, IgnoresGarbageInExtents) {
  Record r;
  EXPECT_TRUE(parse("MPI_Bcast:1:2:3:11,8,4610374365479960584:0:0,0,8:9", r));
  EXPECT_EQ(r.type_size[0], 8);
}

TEST(Line, ReadsDashes) {
  Record r;
  ASSERT_TRUE(parse("MPI_Initialized:-:1:-", r));
  EXPECT_EQ(r.enter_ns, kNoTime);
  EXPECT_EQ(r.leave_ns, kNoTime);
  ASSERT_TRUE(parse("MPI_Wtime:508:509", r));
}

TEST(Line, RefusesWhatIsNoRecord) {
  Record r;
  for (const char* line :
       {"", ":", "MPI_Send", "MPI_Send:", "MPI_Wtime:1:2:", "MPI_Wtime:1:2:3", "MPI_Wtime:1",
        "MPI_Wtime:1:2 ", "MPI_Barrier:1:0,0:2", "MPI_Barrier:1:0,0,8,9:2", "MPI_Barrier:1::2"}) {
    EXPECT_FALSE(parse(line, r)) << line;
    EXPECT_FALSE(explain_line(line).empty());
  }
}

TEST(Explain, SaysWhatIsWrong) {
  const auto has = [](const char* line, const char* part) {
    return explain_line(line).find(part) != std::string::npos;
  };
  EXPECT_TRUE(has("hello", "'hello' is not a record"));
  EXPECT_TRUE(has("MPI_Frobnicate:1:2", "'MPI_Frobnicate' is no call"));
  EXPECT_TRUE(has("MPI_Barrier:1:2", "MPI_Barrier has 3 fields instead of 4"));
  EXPECT_TRUE(has("MPI_Barrier:1:0,0,x:2", "'0,0,x' in field 3 (communicator"));
  EXPECT_TRUE(has("MPI_Barrier:1:0,0,8:x", "'x' in field 4 (time"));
  EXPECT_TRUE(has("MPI_Barrier:x:0,0,8:2", "'x' in field 2 (time"));
  EXPECT_TRUE(has("MPI_Waitall:1:99999999999:1:1:2", "in field 3 (number of requests)"));
  EXPECT_TRUE(has("MPI_Barrier:1:0x7f00:2", "liballprof 2"));
  EXPECT_TRUE(has("\x01Z:1", "'?Z' is no call"));
}

TEST(LineBuffer, CutsAnyChunksIntoLines) {
  const std::string text = "one\n\nthree\nrest";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    LineBuffer buffer;
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < text.size(); i += size) {
      ASSERT_TRUE(buffer.feed(text.substr(i, size), [&](const char* begin, const char* end) {
        EXPECT_EQ(*end, '\n');
        lines.emplace_back(begin, end);
      }));
    }
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "three"}));
    EXPECT_EQ(buffer.rest(), "rest");
  }
}

TEST(LineBuffer, NeverKeepsMoreThanTheLongestLine) {
  LineBuffer buffer;
  const std::string chunk(std::size_t{1} << 20, 'x');
  std::size_t fed = 0;
  while (buffer.feed(chunk, [](const char*, const char*) {})) fed += chunk.size();
  EXPECT_EQ(fed, LineBuffer::kLongestLine);
  EXPECT_LE(buffer.rest().size(), LineBuffer::kLongestLine);
}

}  // namespace
}  // namespace latitude::trace::liballprof
