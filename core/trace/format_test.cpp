// Recognition of the files and the format of a trace, and the choices that a format offers.
#include "core/trace/format.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/trace/numbered.hpp"

namespace latitude::trace {
namespace {

using Names = std::vector<std::string>;

Place place_of(Names files, std::string head = "MPI_Init") {
  return {"run", std::move(files), [head = std::move(head)](const std::string&) { return head; }};
}

template <class Body>
std::string refusal(Body body) {
  try {
    body();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Numbered, RankStandsLastInAName) {
  EXPECT_EQ(rank_of("pmpi-trace-rank-3.txt.gz"), 3U);
  EXPECT_EQ(rank_of("run.7/rank-0000012.lat"), 12U);
  EXPECT_EQ(rank_of("trace.4"), 4U);
  EXPECT_EQ(rank_of("42"), 42U);
  EXPECT_EQ(rank_of("x1234567890.txt"), 234567890U);  // nine digits are read
  for (const char* name :
       {"README.md", ".rank-1.txt", "rank-1.2x", "rank-1-old", "notes", "1.t x", "rank-1.last"}) {
    EXPECT_EQ(rank_of(name), std::nullopt) << name;
  }
}

TEST(Numbered, FilesAreInTheOrderOfRanks) {
  EXPECT_EQ(numbered_files(place_of(
                {"r10", "r2", "r0", "r1", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "README"})),
            (Names{"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10"}));
  EXPECT_TRUE(numbered_files(place_of({"README"})).empty());
}

TEST(Numbered, EveryRankIsThereOnce) {
  EXPECT_EQ(refusal([] { numbered_files(place_of({"a-0", "b-0"})); }),
            "run: 'a-0' and 'b-0' are both rank 0; keep the files of one run only");
  EXPECT_EQ(refusal([] { numbered_files(place_of({"r0", "r2"})); }),
            "run: rank 1 is missing (the highest is rank 2, 'r2'); copy the files of every rank");
  EXPECT_EQ(refusal([] { numbered_files(place_of({"r2000"})); }),
            "run: ranks 0, 1, 2, 3 and 1,996 more are missing (the highest is rank 2000, 'r2000'); "
            "copy the files of every rank");
}

TEST(Formats, AreToldByWhatFilesBeginWith) {
  const auto found = [](const Place& place) { return find_trace(place)->format->name; };
  EXPECT_EQ(found(place_of({"r0"}, "LATITUDE\1")), "latitude");
  EXPECT_EQ(found(place_of({"r0"}, "MPI_Init")), "liballprof");
  EXPECT_FALSE(find_trace(place_of({"README"})).has_value());
  // The first rank's file may be empty, for example if a job was killed immediately.
  Place cut = place_of({"r0", "r1"});
  cut.head = [](const std::string& name) { return name == "r1" ? "LATITUDE" : ""; };
  EXPECT_EQ(found(cut), "latitude");
}

TEST(Formats, OptionsHaveNamesOfTheirOwn) {
  std::vector<std::string_view> names;
  for (const Format* format : formats()) {
    for (const FormatOption& option : format->options) {
      names.push_back(option.name);
      if (!option.choices.empty()) {
        EXPECT_EQ(option.choices[choice_of(option, {})], option.standard);
      }
      EXPECT_FALSE(is_on(option, {}));
    }
  }
  std::ranges::sort(names);
  EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end());
}

TEST(Formats, ChoicesThatDoNotExistAreNamed) {
  static constexpr std::string_view kChoices[] = {"a", "b"};
  const FormatOption option{"letter", kChoices, "a", ""};
  EXPECT_EQ(choice_of(option, {{"letter", "b"}}), 1U);
  EXPECT_EQ(choice_of(option, {{"other", "c"}}), 0U);
  EXPECT_EQ(refusal([&] { choice_of(option, {{"letter", "c"}}); }),
            "unknown letter 'c'; use one of a, b");
  EXPECT_TRUE(is_on({"switch", {}, "", ""}, {{"switch", std::string(kYes)}}));
}

}  // namespace
}  // namespace latitude::trace
