#include "core/graph/goal/goal_for_tests.hpp"

namespace latitude::graph::goal {
namespace {

struct Case {
  const char* text;
  const char* message;
};

std::string message_for(const std::string& text) {
  return refusal([&] { parse(text); });
}

/// The text is in rank 0 of two, from line 3 on.
std::string message_in_rank(const std::string& text) {
  return message_for("num_ranks 2\nrank 0 {\n" + text + "\n}\nrank 1 {\n}\n");
}

TEST(GoalTextErrors, File) {
  const Case cases[] = {
      {"", "t.goal:1: the file ends before 'num_ranks'"},
      {"\n\n", "t.goal:3: the file ends before 'num_ranks'"},
      {"rank 0 {\n}\n", "t.goal:1: expected 'num_ranks', found 'rank'"},
      {"num_ranks 0\n", "t.goal:1: num_ranks must be at least 1"},
      {"num_ranks x\n", "t.goal:1: expected the number of ranks (0 to 2147483647), found 'x'"},
      {"num_ranks 99999999999999999999\n",
       "t.goal:1: expected the number of ranks (0 to 2147483647), found '99999999999999999999'"},
      {"num_ranks 2\nnum_ranks 2\n",
       "t.goal:2: expected 'rank' or the end of the file, found 'num_ranks'"},
      {"num_ranks 2\nrank 2 {\n}\n", "t.goal:2: expected a rank (0 to 1), found '2'"},
      {"num_ranks 2\nrank 1\n", "t.goal:2: expected '{', found the end of the line"},
      {"num_ranks 2\nrank 1 {\n}\nrank 1 {\n}\n", "t.goal:4: rank 1 is already defined at line 2"},
      {"num_ranks 3\nrank 0 {\n}\nrank 2 {\n}\n", "t.goal:6: the file ends without rank 1 of 3"},
      {"num_ranks 2147483647\nrank 0 {\n}\n",
       "t.goal:4: the file ends without rank 1 of 2147483647"},
      {"num_ranks 1\nrank 0 {\ncalc 5\n", "t.goal:4: the file ends inside rank 0: '}' is missing"},
      {"num_ranks 1\nrank 0 {\n}\n}\n",
       "t.goal:4: expected 'rank' or the end of the file, found '}'"},
      {"num_ranks 1\nrank 0 {\n}\ngarbage and more\n",
       "t.goal:4: expected 'rank' or the end of the file, found 'garbage'"},
      {"num_ranks 1 /* \n\n", "t.goal:3: the file ends inside a comment: '*/' is missing"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(message_for(text), message) << text;
}

TEST(GoalTextErrors, Statements) {
  const Case cases[] = {
      {"calc",
       "t.goal:3: expected a duration in ns (0 to 9223372036854775807), found the end of "
       "the line"},
      {"calc -5", "t.goal:3: expected a duration in ns (0 to 9223372036854775807), found '-5'"},
      {"calc 9223372036854775808",
       "t.goal:3: expected a duration in ns (0 to 9223372036854775807), found "
       "'9223372036854775808'"},
      {"calc 1.5", "t.goal:3: expected the end of the line, found '.5'"},
      {"calc 1 calc 2", "t.goal:3: expected the end of the line, found 'calc'"},
      {"calc 1 nic 2", "t.goal:3: expected the end of the line, found 'nic'"},
      {"calc 1 cpu 4294967296", "t.goal:3: expected a CPU (0 to 4294967295), found '4294967296'"},
      {"calc 1 cpu 2 cpu 3", "t.goal:3: expected the end of the line, found 'cpu'"},
      {"send -8b to 1",
       "t.goal:3: expected a size in bytes (0 to 9223372036854775807), found '-8b'"},
      {"send 8 to 1", "t.goal:3: expected 'b', found 'to'"},
      {"send 8b from 1", "t.goal:3: expected 'to', found 'from'"},
      {"recv 8b to 1", "t.goal:3: expected 'from', found 'to'"},
      {"send 8b to 2", "t.goal:3: expected a rank (0 to 1), found '2'"},
      {"send 8b to -1", "t.goal:3: expected a rank (0 to 1), found '-1'"},
      {"recv 8b from -2", "t.goal:3: expected a rank (0 to 1), found '-2'"},
      {"send 8b to 1 tag -1", "t.goal:3: tag -1 is a wildcard: not in a send"},
      {"send 8b to 1 tag 18446744073709551615", "t.goal:3: tag -1 is a wildcard: not in a send"},
      {"recv 8b from 1 tag 18446744073709551616",
       "t.goal:3: expected a tag (0 to 18446744073709551615), found '18446744073709551616'"},
      {"recv 8b from 1 tag -2", "t.goal:3: expected a tag (0 to 18446744073709551615), found '-2'"},
      {"send 8b to 1 nic x", "t.goal:3: expected a NIC (0 to 4294967295), found 'x'"},
      {"l1: wait 5", "t.goal:3: expected 'send', 'recv' or 'calc', found 'wait'"},
      {"l1: 5", "t.goal:3: expected 'send', 'recv' or 'calc', found '5'"},
      {"l1 5", "t.goal:3: expected ':', 'requires' or 'irequires', found '5'"},
      {"l1 requires", "t.goal:3: expected a label, found the end of the line"},
      {"5", "t.goal:3: expected an operation, a label or '}', found '5'"},
      {"\x01", "t.goal:3: expected an operation, a label or '}', found byte 0x01"},
      {"/ calc 5", "t.goal:3: expected an operation, a label or '}', found '/'"},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
       "t.goal:3: expected ':', 'requires' or 'irequires', found the end of the line"},
      {"{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{",
       "t.goal:3: expected an operation, a label or '}', found '{{{{{{{{{{{{{{{{{{{{{{{{…'"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(message_in_rank(text), message) << text;
}

TEST(GoalTextErrors, Labels) {
  const Case cases[] = {
      {"l1: calc 1\nl1: calc 2", "t.goal:4: label l1 is already defined in rank 0"},
      {"x: calc 1\nx: calc 2", "t.goal:4: label x is already defined in rank 0"},
      {"l1: calc 1\n\nl1 requires l2", "t.goal:5: label l2 is not defined in rank 0"},
      {"l1: calc 1\nx irequires l1", "t.goal:4: label x is not defined in rank 0"},
      {"l1: calc 1\nl1 requires l1", "t.goal:2: rank 0: cycle of 1: l1 requires l1"},
      {"l1: calc 1\nl1 irequires l1", "t.goal:2: rank 0: cycle of 1: l1 requires l1"},
      {"op_01: calc 1\nop_1: calc 1\nop_01: calc 2",
       "t.goal:5: label op_01 is already defined in rank 0"},
      {"op_0301: calc 1\nop_0301 requires op_0301",
       "t.goal:2: rank 0: cycle of 1: op_0301 requires op_0301"},
      {"a: calc 1\nb: calc 2\nx: calc 3\nb requires a\na irequires b\nx requires a",
       "t.goal:2: rank 0: cycle of 2: a requires b requires a"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(message_in_rank(text), message) << text;
}

TEST(GoalTextErrors, LongCyclesAreCutShort) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += label(i) + ": calc 1\n";
  for (int i = 0; i < 10; ++i) text += label(i) + " requires " + label((i + 1) % 10) + "\n";
  EXPECT_EQ(message_in_rank(text),
            "t.goal:2: rank 0: cycle of 10: l0 requires l1 requires l2 requires l3 requires l4 "
            "requires l5 requires l6 requires l7 requires l8 …");
}

TEST(GoalTextErrors, UnmatchedMessages) {
  const std::string send = message_in_rank("calc 5\nsend 8b to 1 tag 5");
  EXPECT_EQ(send.substr(0, send.find(" has")), "t.goal: rank 0: send 8b to 1 tag 5");
  const std::string recv = message_in_rank("recv 16b from -1 tag -1");
  EXPECT_EQ(recv.substr(0, recv.find(" has")), "t.goal: rank 0: recv 16b from -1 tag -1");
}

TEST(GoalTextErrors, LongLines) {
  EXPECT_EQ(message_for("num_ranks 1\n//" + std::string(2 << 20, 'x')),
            "t.goal:2: line longer than 1048576 bytes");
}

TEST(GoalTextErrors, Files) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal([&] { read_goal_text(folder / "none"); }),
            (folder / "none") + ": cannot read: No such file or directory");
  EXPECT_EQ(refusal([&] { read_goal_text(folder / ""); }),
            (folder / "") + ": cannot read: Is a directory");
}

}  // namespace
}  // namespace latitude::graph::goal
