// Members of a communicator: the place of each, and the sharing of lists by copies.
#include "core/trace/members.hpp"

#include <gtest/gtest.h>

namespace latitude::trace {
namespace {

TEST(Members, KnowTheirPlaces) {
  for (const Members& members :
       {Members::all(5), Members{2, 5, 7}, Members{9, 1, 4, 0}, Members{}}) {
    std::size_t found = 0;
    for (std::size_t world = 0; world < 12; ++world) {
      const std::optional<std::int32_t> place = members.place_of(world);
      if (!place) continue;
      ++found;
      EXPECT_EQ(members[static_cast<std::size_t>(*place)], static_cast<std::int32_t>(world));
    }
    EXPECT_EQ(found, members.size());
  }
}

TEST(Members, ShareTheirListWithCopies) {
  const Members members{3, 1};
  const Members copy = members;
  EXPECT_EQ(&copy.ranks(), &members.ranks());
  EXPECT_EQ(copy, (Members{3, 1}));
}

}  // namespace
}  // namespace latitude::trace
