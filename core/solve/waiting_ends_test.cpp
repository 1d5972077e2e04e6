// Matches equal those of a search through all waiting ends, first to last; and the time of a match.
#include "core/solve/waiting_ends.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/growth_for_tests.hpp"

namespace latitude::solve {
namespace {

using graph::OpenEnd;
using graph::VertexId;

class LookingAtAll {
 public:
  std::optional<VertexId> come(const OpenEnd& send) {
    return first(posted_, come_, send, [&](const OpenEnd& each) { return fits(send, each); });
  }
  std::optional<VertexId> post(const OpenEnd& receive) {
    return first(come_, posted_, receive, [&](const OpenEnd& each) { return fits(each, receive); });
  }

 private:
  static bool fits(const OpenEnd& send, const OpenEnd& receive) {
    return send.context == receive.context &&
           (receive.peer == trace::kAnySource || receive.peer == send.peer) &&
           (receive.tag == trace::kAnyTag || receive.tag == send.tag);
  }
  template <class Fits>
  static std::optional<VertexId> first(std::vector<OpenEnd>& from, std::vector<OpenEnd>& else_to,
                                       const OpenEnd& end, Fits fits) {
    const auto found = std::ranges::find_if(from, fits);
    if (found == from.end()) {
      else_to.push_back(end);
      return std::nullopt;
    }
    const VertexId vertex = found->vertex;
    from.erase(found);
    return vertex;
  }

  std::vector<OpenEnd> come_;
  std::vector<OpenEnd> posted_;
};

TEST(WaitingEnds, AreTakenInTheirOrder) {
  std::mt19937 random(3);
  const auto up_to = [&](int most) { return static_cast<std::int32_t>(random()) & (most - 1); };
  for (int i = 0; i < 3000; ++i) {
    const int wildcards = up_to(8);
    const VertexId count = 40;
    std::vector<OpenEnd> sends;
    std::vector<OpenEnd> receives;
    for (VertexId v = 0; v < count; ++v) {
      const auto context = static_cast<std::uint64_t>(up_to(2));
      sends.push_back({v, context, up_to(4), up_to(4)});
      receives.push_back({v + count, context, up_to(8) < wildcards ? trace::kAnySource : up_to(4),
                          up_to(8) < wildcards ? trace::kAnyTag : up_to(4)});
    }
    WaitingEnds waiting(receives);
    LookingAtAll all;
    for (VertexId s = 0, r = 0; s + r < 2 * count;) {
      if (r == count || (s < count && up_to(2) == 0)) {
        ASSERT_EQ(waiting.come(sends[s]), all.come(sends[s])) << "program " << i;
        ++s;
      } else {
        ASSERT_EQ(waiting.post(receives[r]), all.post(receives[r])) << "program " << i;
        ++r;
      }
    }
  }
}

TEST(WaitingEnds, TakeTimeInProportion) {
  const auto run = [](int count) {
    std::vector<OpenEnd> receives;
    for (std::int32_t tag = 0; tag < count; ++tag) {
      receives.push_back({0, 0, trace::kAnySource, tag});
    }
    WaitingEnds waiting(receives);
    for (std::int32_t i = 0; i < 2 * count; ++i) {
      const std::int32_t tag = i % count;
      const bool sent = (i < count) == (tag < count / 2);
      if (sent) {
        waiting.come({1, 0, 1, count - 1 - tag});
      } else {
        waiting.post(receives[static_cast<std::size_t>(tag)]);
      }
    }
  };
  EXPECT_LT(growth(8'000, run), kMostGrowth);
}

}  // namespace
}  // namespace latitude::solve
