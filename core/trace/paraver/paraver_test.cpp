// Paraver traces: the events of records, and rejected files, with file and line.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/format.hpp"
#include "core/trace/paraver/format.hpp"

namespace latitude::trace {
namespace {

template <class... Parts>
std::string str(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// A file of two tasks, with records in the order in which they are added.
class Text {
 public:
  explicit Text(int tasks = 2, const std::string& end = "1000_ns") {
    text_ = str("#Paraver (01/02/2026 at 10:11):", end, ":1(4):1:", tasks, "(1:1");
    for (int task = 1; task < tasks; ++task) text_ += ",1:1";
    text_ += str("),1\nc:1:1:", tasks);
    for (int task = 1; task <= tasks; ++task) text_ += str(":", task);
    text_ += "\n";
  }
  Text& add(const std::string& record) {
    text_ += record + "\n";
    return *this;
  }
  /// A call with Extrae's number; `more`: parameters at its start.
  Text& call(int task, int enter, int leave, int type, int value, const std::string& more = "") {
    return event(task, enter, type, value, more).event(task, leave, type, 0, "");
  }
  Text& event(int task, int at, int type, int value, const std::string& more = "") {
    return add(str("2:1:1:", task, ":1:", at, ":5000000", type, ":", value, more));
  }
  Text& message(int from, int sent, int to, int posted, int received, int bytes, int tag) {
    return add(str("3:1:1:", from, ":1:", sent, ":", sent, ":1:1:", to, ":1:", posted, ":",
                   received, ":", bytes, ":", tag));
  }
  Text& init(int task, int enter = 0, int leave = 10) { return call(task, enter, leave, 3, 31); }
  Text& finalize(int task, int enter = 900, int leave = 910) {
    return call(task, enter, leave, 3, 32);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Trace read(const std::string& records, const std::string& names = "", const Chosen& chosen = {},
           std::size_t piece = std::string::npos) {
  std::vector<std::string> files = {"a.prv"};
  if (!names.empty()) files.emplace_back("a.pcf");
  const std::unique_ptr<Loader> loader = paraver::kFormat.loader(files, chosen);
  const auto feed = [&](std::size_t part, const std::string& text) {
    for (std::size_t at = 0; at < text.size(); at += std::min(piece, text.size())) {
      const std::string cut = text.substr(at, piece);
      loader->feed(part, {reinterpret_cast<const std::uint8_t*>(cut.data()), cut.size()});
    }
  };
  feed(0, records);
  if (!names.empty()) feed(1, names);
  return loader->finish(1);
}

std::string refusal(const std::string& records, const std::string& names = "") {
  try {
    read(records, names);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> calls_of(const RankTrace& rank) {
  std::vector<std::string> names;
  for (const Event& event : rank.events) names.emplace_back(name_of(event.call));
  return names;
}

std::vector<std::string> codes_of(const Trace& trace) {
  std::vector<std::string> codes;
  for (const Warning& warning : trace.warnings) codes.push_back(warning.code);
  return codes;
}

using Names = std::vector<std::string>;

TEST(Paraver, MessagesAreWhatTheirRecordsSay) {
  const Trace trace = read(Text()
                               .init(1)
                               .init(2, 0, 20)
                               .message(1, 100, 2, 50, 190, 4096, 7)
                               .call(2, 50, 190, 1, 2)
                               .call(1, 100, 120, 1, 1)
                               .finalize(1)
                               .finalize(2)
                               .text());
  ASSERT_EQ(trace.ranks.size(), 2U);
  EXPECT_EQ(calls_of(trace.ranks[0]), (Names{"MPI_Init", "MPI_Send", "MPI_Finalize"}));
  EXPECT_EQ(calls_of(trace.ranks[1]), (Names{"MPI_Init", "MPI_Recv", "MPI_Finalize"}));
  const Event& send = trace.ranks[0].events[1];
  EXPECT_EQ(message_of(send).peer, 1);
  EXPECT_EQ(message_of(send).bytes, 4096U);
  EXPECT_EQ(message_of(send).tag, 7);
  EXPECT_EQ(send.enter_ns, 90);  // since MPI_Init returned
  EXPECT_EQ(send.leave_ns, 110);
  EXPECT_EQ(send.position, 10U);
  EXPECT_EQ(message_of(trace.ranks[1].events[1]).peer, 0);
  EXPECT_EQ(trace.ranks[1].events[1].enter_ns, 30);
  EXPECT_EQ(trace.ranks[0].event_count, 3U);
  EXPECT_TRUE(trace.warnings.empty());
}

TEST(Paraver, CutsBetweenPiecesDoNotMatter) {
  const std::string text = Text()
                               .init(1)
                               .init(2)
                               .call(1, 20, 30, 2, 8)
                               .call(2, 25, 30, 2, 8)
                               .finalize(1)
                               .finalize(2)
                               .text();
  const std::string names = "EVENT_TYPE\n9 50000002 MPI\nVALUES\n8 MPI_Barrier\n";
  for (std::size_t piece = 1; piece < 40; ++piece) {
    const Trace trace = read(text, names, {}, piece);
    EXPECT_EQ(calls_of(trace.ranks[1]), (Names{"MPI_Init", "MPI_Barrier", "MPI_Finalize"}));
  }
}

TEST(Paraver, WaitsCompleteWhatTheirReceivesSayAndThePendingSends) {
  const Text text = Text()
                        .init(1)
                        .init(2)
                        .call(1, 20, 21, 1, 4)  // Irecv
                        .call(1, 22, 23, 1, 3)  // Isend
                        .call(1, 30, 60, 1, 6)  // Waitall of both
                        .call(2, 20, 21, 1, 3)  // Isend
                        .call(2, 22, 40, 1, 2)  // Recv
                        .call(2, 50, 55, 1, 5)  // Wait for the send
                        .message(1, 22, 2, 22, 40, 8, 1)
                        .message(2, 20, 1, 20, 60, 8, 2)
                        .finalize(1)
                        .finalize(2);
  const Trace trace = read(text.text());
  const RankTrace& first = trace.ranks[0];
  EXPECT_EQ(calls_of(first),
            (Names{"MPI_Init", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Finalize"}));
  EXPECT_TRUE(std::ranges::equal(requests_of(first, first.events[3]), std::vector{1U, 2U}));
  const RankTrace& second = trace.ranks[1];
  EXPECT_TRUE(std::ranges::equal(requests_of(second, second.events[3]), std::vector{1U}));
  EXPECT_EQ(codes_of(trace), (Names{"completion-inferred"}));
}

TEST(Paraver, SendsAreLeftToAWaitOfTheirOwn) {
  const Trace trace = read(Text()
                               .init(1)
                               .init(2)
                               .call(1, 20, 21, 1, 4)
                               .call(1, 22, 23, 1, 3)
                               .call(1, 30, 60, 1, 6)  // of the receive
                               .call(1, 70, 80, 1, 6)  // of the send
                               .call(2, 10, 15, 1, 1)
                               .call(2, 22, 40, 1, 2)
                               .message(2, 10, 1, 20, 60, 8, 2)
                               .message(1, 22, 2, 22, 40, 8, 1)
                               .finalize(1)
                               .finalize(2)
                               .text());
  const RankTrace& rank = trace.ranks[0];
  EXPECT_TRUE(std::ranges::equal(requests_of(rank, rank.events[3]), std::vector{1U}));
  EXPECT_TRUE(std::ranges::equal(requests_of(rank, rank.events[4]), std::vector{2U}));
}

TEST(Paraver, SendsThatNothingCompletesAreLeftToTheGraph) {
  const Trace trace = read(Text()
                               .init(1)
                               .init(2)
                               .call(1, 20, 21, 1, 3)
                               .call(2, 20, 40, 1, 2)
                               .message(1, 20, 2, 20, 40, 8, 0)
                               .finalize(1)
                               .finalize(2)
                               .text());
  EXPECT_EQ(calls_of(trace.ranks[0]), (Names{"MPI_Init", "MPI_Isend", "MPI_Finalize"}));
}

TEST(Paraver, CollectivesAreOfTheirCommunicator) {
  const auto sizes = [](int sent, int received, int comm, bool root) {
    return str(":50100001:", sent, ":50100002:", received, ":50100004:", comm,
               root ? ":50100003:1" : "");
  };
  Text text(3);
  text.add("c:1:2:2:3:1");
  for (int task = 1; task <= 3; ++task) text.init(task);
  for (int task = 1; task <= 3; ++task) {
    text.call(task, 20, 30, 2, 7, task == 2 ? sizes(400, 0, 1, true) : sizes(0, 400, 1, false));
    text.call(task, 40, 50, 2, 14, sizes(10 * task, 0, 1, task == 1));
  }
  for (const int task : {1, 3}) text.call(task, 60, 70, 2, 10, sizes(8, 8, 2, false));
  for (int task = 1; task <= 3; ++task) text.finalize(task);
  const Trace trace = read(text.text());
  ASSERT_EQ(trace.communicators.size(), 2U);
  EXPECT_EQ(trace.communicators[1].group, (std::vector<std::int32_t>{2, 0}));
  for (const RankTrace& rank : trace.ranks) {
    EXPECT_EQ(root_of(rank.events[1]), 1);
    EXPECT_EQ(rank.events[1].bytes, 400U);
    EXPECT_EQ(root_of(rank.events[2]), 0);
  }
  const RankTrace& root = trace.ranks[0];
  EXPECT_TRUE(std::ranges::equal(collective_of(root, root.events[2]).lists.from_each,
                                 std::vector<std::int64_t>{10, 20, 30}));
  EXPECT_EQ(trace.ranks[2].events[2].bytes, 30U);
  EXPECT_EQ(root.events[3].comm, 1U);
  EXPECT_EQ(root.events[3].bytes, 8U);
}

TEST(Paraver, ComputationIsLessWhatTheTracerDid) {
  const std::string text = Text(1)
                               .call(1, 100, 110, 3, 31)
                               .call(1, 200, 250, 3, 19)  // MPI_Comm_rank
                               .add("2:1:1:1:1:300:40000003:1")
                               .add("2:1:1:1:1:340:40000003:0")
                               .add("1:1:1:1:1:400:450:14")
                               .call(1, 500, 520, 2, 8)
                               .call(1, 600, 700, 3, 32)
                               .text();
  const Trace between = read(text);
  const std::vector<Event>& events = between.ranks[0].events;
  EXPECT_EQ(events[1].enter_ns, 500 - 110 - 40 - 50);
  EXPECT_EQ(events[2].enter_ns - events[1].leave_ns, 80);
  EXPECT_EQ(codes_of(between), (Names{"tracer-left-out"}));
  const Trace outside = read(text, "", {{"computation", "outside-mpi"}});
  const std::vector<Event>& all = outside.ranks[0].events;
  EXPECT_EQ(all[1].enter_ns, 100 + 90 + 250);
  EXPECT_EQ(all[2].enter_ns - all[1].leave_ns, 80 + 300);
  EXPECT_TRUE(outside.warnings.empty());
}

TEST(Paraver, CallersAreCallSites) {
  const std::string text =
      Text(1)
          .init(1)
          .call(1, 20, 30, 2, 8, ":70000001:3:80000001:2:70000002:4:80000002:3")
          .call(1, 40, 50, 2, 8)
          .add("2:1:1:1:1:60:50000002:8")
          .add("2:1:1:1:1:60:80000001:4:70000001:1:70000002:4:80000002:3")
          .add("2:1:1:1:1:70:50000002:0")
          .add("2:1:1:1:1:80:70000001:3")  // of no call
          .finalize(1)
          .text();
  const std::string names =
      "EVENT_TYPE\n0 70000001 Caller at level 1\n0 70000002 Caller at level 2\nVALUES\n0 End\n"
      "1 Unresolved\n3 __mpi..nit [__mpi_routines_MOD_init]\n4 main\n\n"
      "EVENT_TYPE\n0 80000001 Caller line at level 1\n0 80000002 Caller line at level 2\nVALUES\n"
      "0 End\n2 71 (a.F90, run)\n3 9 (lo..g.c, run) [9 (long.c, run)]\n4 0 (Unresolved)\n";
  const Trace trace = read(text, names);
  const auto chain = [&](std::size_t event) {
    std::vector<std::string> frames;
    for (std::uint32_t site = trace.ranks[0].sites[event]; site != kNoSite;
         site = trace.sites[site].caller) {
      const Frame& frame = trace.frames[site].at(0);
      frames.push_back(str(frame.function, " ", frame.file, ":", frame.line));
    }
    return frames;
  };
  ASSERT_EQ(trace.ranks[0].sites.size(), 5U);
  EXPECT_EQ(chain(1), (Names{"__mpi_routines_MOD_init a.F90:71", "main long.c:9"}));
  EXPECT_EQ(chain(2), Names{});
  EXPECT_EQ(chain(3), (Names{"main long.c:9"}));
  EXPECT_EQ(chain(4), Names{});
  EXPECT_EQ(trace.sites.size(), 2U);
  EXPECT_TRUE(read(Text(1).init(1).finalize(1).text()).ranks[0].sites.empty());
}

TEST(Paraver, NamesComeFromTheFileBesideIt) {
  const std::string text = Text(1).init(1).call(1, 20, 30, 2, 99).finalize(1).text();
  EXPECT_EQ(refusal(text),
            "a.prv:5: no name is known, of number 99 of type 50000002; put the trace's .pcf file "
            "next to it");
  const std::string names =
      "EVENT_TYPE\r\n9   50000001    P2P\r\n9   50000002    Coll\r\nVALUES\r\n"
      "99   MPI_Barrier\r\n0   Outside MPI\r\n\r\n\r\nGRADIENT_COLOR\r\n0    {0,255,2}\r\n";
  EXPECT_EQ(calls_of(read(text, names).ranks[0]),
            (Names{"MPI_Init", "MPI_Barrier", "MPI_Finalize"}));
  EXPECT_EQ(refusal(text, "EVENT_TYPE\n9 50000002 MPI\nVALUES\n99 MPI_Frobnicate\n"),
            "a.prv:5: 'MPI_Frobnicate' is not a call that Latitude knows, of number 99 of type "
            "50000002");
  EXPECT_EQ(refusal(text, "EVENT_TYPE\n9 50000002 MPI\nVALUES\n99 \xe5\n"),
            "a.prv:5: '?' is not a call that Latitude knows, of number 99 of type 50000002");
  EXPECT_EQ(refusal(text, "EVENT_TYPE\n9 x\n"),
            "a.pcf:2: '9 x' is not a line of a .pcf file for a type of events");
}

TEST(Paraver, AsOneCutOutOfALongerRun) {
  const Trace trace = read(Text()
                               .event(1, 5, 2, 0)  // of a call that began before the trace
                               .call(1, 10, 20, 1, 1)
                               .call(2, 10, 40, 1, 2)
                               .message(1, 10, 2, 10, 40, 8, 0)
                               .message(1, 30, 2, 60, 70, 8, 0)  // received by no call of the trace
                               .event(2, 60, 1, 2)
                               .text());
  EXPECT_EQ(calls_of(trace.ranks[1]), (Names{"MPI_Init", "MPI_Recv", "MPI_Finalize"}));
  EXPECT_EQ(trace.ranks[0].events[1].enter_ns, 10);
  EXPECT_EQ(trace.ranks[0].events[2].enter_ns, 1000);
  EXPECT_EQ(codes_of(trace), (Names{"part-of-a-run", "cut-off"}));
}

TEST(Paraver, EndsWithItsLastCallWhateverTheHeaderSays) {
  const Trace trace = read(Text(1, "30_ns").init(1).call(1, 20, 500, 2, 8).text());
  EXPECT_EQ(trace.ranks[0].events.back().call, Call::Finalize);
  EXPECT_EQ(trace.ranks[0].events.back().enter_ns, 490);
}

TEST(Paraver, MessagesThatSeemToOvertakeAreMatchedAsRecorded) {
  const Trace trace = read(Text()
                               .init(1)
                               .init(2)
                               .call(1, 20, 21, 1, 1)
                               .call(1, 30, 31, 1, 1)
                               .call(2, 20, 50, 1, 2)
                               .call(2, 51, 60, 1, 2)
                               .message(1, 20, 2, 51, 60, 8, 5)
                               .message(1, 30, 2, 20, 50, 8, 5)
                               .finalize(1)
                               .finalize(2)
                               .text());
  const auto tag = [&](std::size_t rank, std::size_t event) {
    return message_of(trace.ranks[rank].events[event]).tag;
  };
  EXPECT_EQ(tag(0, 1), tag(1, 2));
  EXPECT_EQ(tag(0, 2), tag(1, 1));
  EXPECT_NE(tag(0, 1), tag(0, 2));
  EXPECT_EQ(codes_of(trace), (Names{"tags-renumbered"}));
}

TEST(Paraver, SendsWithoutARecordAreToNobody) {
  const Trace trace = read(Text(1).init(1).call(1, 20, 30, 1, 41).finalize(1).text());
  const RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(message_of(rank.events[1]).peer, kProcNull);
  EXPECT_EQ(received_by(rank, rank.events[1]).peer, kProcNull);
  EXPECT_EQ(codes_of(trace), (Names{"without-message"}));
}

TEST(Paraver, WhatIsDamagedIsNamedWithItsLine) {
  const auto after = [](const std::string& record) { return refusal(Text().add(record).text()); };
  EXPECT_EQ(refusal("x\n"), "a.prv:1: is not a Paraver trace: its header is missing");
  EXPECT_EQ(refusal(""), "a.prv: is empty: no Paraver header");
  EXPECT_EQ(refusal("#Paraver (a):5_ns:1(1):2:1(1:1):1(1:1)\n"),
            "a.prv:1: holds 2 applications; cut out one of them");
  EXPECT_EQ(refusal("#Paraver (a):5_h:1(1):1:1(1:1)\n"),
            "a.prv:1: the header names a unit of time that is not ns or us");
  EXPECT_EQ(refusal("#Paraver (a):5_ns:1(1):1:900(1:1)\n"),
            "a.prv:1: the header is too short for its tasks");
  EXPECT_EQ(after("9:1"), "a.prv:3: is not a record of a Paraver trace");
  EXPECT_EQ(after("2:1:1:3:1:5:50000002:8"), "a.prv:3: names task 3 of 2");
  EXPECT_EQ(after("2:1:2:1:1:5:50000002:8"), "a.prv:3: names application 2 of 1");
  EXPECT_EQ(after("2:1:1:1:1:5:50000002"), "a.prv:3: an event has no value");
  EXPECT_EQ(after("2:1:1:1:1:5:50000002:8x"),
            "a.prv:3: the record has a field that is not a number");
  EXPECT_EQ(after("2:1:1:1:1:99999999999999999999:1:1"),
            "a.prv:3: a number is missing or too large");
  EXPECT_EQ(after("3:1:1:1:1:5:5:1:1:2:1:5:5:8"), "a.prv:3: a message has no tag");
  EXPECT_EQ(after("c:1:2:2:1:1"), "a.prv:3: a communicator names task 1 of 2, or names it twice");
  EXPECT_EQ(after("c:1:1:1:1"), "a.prv:3: communicator 1 comes twice");
  EXPECT_EQ(refusal(Text().text() + "1:1"),
            "a.prv:3: truncated: the last record has no end of line");
  EXPECT_EQ(refusal(Text().event(1, 5, 2, 8).event(1, 6, 2, 8).text()),
            "a.prv:4: a call begins within another, of line 3");
  EXPECT_EQ(refusal(Text().call(1, 5, 6, 2, 8).event(1, 9, 2, 0).text()),
            "a.prv:5: a call ends that has not begun");
  EXPECT_EQ(refusal(Text().call(1, 5, 8, 2, 8).event(1, 7, 2, 8).text()),
            "a.prv:5: a call begins before the one before it has ended; the records are not in "
            "order");
  EXPECT_EQ(refusal(Text().event(1, 5, 2, 8).add("2:1:1:1:1:5:50100004:9").text()),
            "a.prv:4: communicator 9 is not defined");
  EXPECT_EQ(refusal(Text().event(1, 5, 2, 8).add("2:1:1:1:1:5:50100001:9007199254740993").text()),
            "a.prv:4: a call moves more than 8 PiB");
  EXPECT_EQ(refusal(Text().text()),
            "a.prv: holds no calls of MPI; was the program traced with them, or was the part that "
            "has them cut off?");
  EXPECT_EQ(refusal(Text(5).init(1).finalize(1).init(2).finalize(2).text()),
            "a.prv: has records of 2 of the 5 tasks that its header names; copy the whole trace");
  EXPECT_EQ(
      refusal(
          Text().init(1).init(2).finalize(1).finalize(2).message(1, 40, 2, 40, 50, 8, 0).text()),
      "a.prv:11: no call of task 1 explains the message that is sent at 40 ns; the trace is "
      "not whole");
  EXPECT_EQ(refusal(Text(1).init(1).init(1, 20, 30).finalize(1).text()),
            "a.prv:5: MPI_Init comes twice");
  EXPECT_EQ(
      refusal(Text(1).init(1).call(1, 20, 30, 2, 7).finalize(1).text()),
      "a.prv:5: MPI_Bcast has a root, and no member of its communicator is recorded as the root");
  EXPECT_EQ(
      refusal(Text().init(1).add("2:1:1:1:2:20:50000002:8").add("2:1:1:1:2:21:50000002:0").text()),
      "a.prv:5: threads 1 and 2 of task 1 both call MPI; of Paraver's traces those with one such "
      "thread a task are read");
}

TEST(Paraver, TheFirstListThatHasAValueNamesIt) {
  const std::string names =
      "EVENT_TYPE\n9 50000002 MPI\n9 50000002 MPI\nVALUES\n8 MPI_Barrier\n"
      "EVENT_TYPE\n9 50000002 MPI\nVALUES\n8 MPI_Bcast\n9 MPI_Allreduce\n";
  const Trace trace =
      read(Text(1).init(1).call(1, 20, 30, 2, 8).call(1, 40, 50, 2, 9).finalize(1).text(), names);
  EXPECT_EQ(trace.ranks[0].events[1].call, Call::Barrier);
  EXPECT_EQ(trace.ranks[0].events[2].call, Call::Allreduce);
}

TEST(Paraver, IsFoundInAFolder) {
  const auto head = [](const std::string& name) {
    return std::string(name.ends_with(".prv") ? "#Paraver (" : "x");
  };
  const auto found = find_trace({"run", {"b16.pcf", "b16.prv", "b16.row"}, head});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->format->name, "paraver");
  EXPECT_EQ(found->parts, (Names{"b16.prv", "b16.pcf"}));
  EXPECT_EQ(paraver::kFormat.beside("x/run.prv.gz"), (Names{"x/run.pcf"}));
  try {
    find_trace({"run", {"a.prv", "b.prv"}, head});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "run: 'a.prv' and 'b.prv' are both Paraver traces; give one of them by its path");
  }
}

}  // namespace
}  // namespace latitude::trace
