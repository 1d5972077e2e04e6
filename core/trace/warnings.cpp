#include "core/trace/warnings.hpp"

#include <set>

namespace latitude::trace {

Warning wildcard_matches(std::uint64_t count) {
  return {"wildcard-matches", std::to_string(count) +
                                  " receives from any source or with any tag match as they did in "
                                  "this run"};
}

Warning cpu_clock(std::uint64_t ranks, std::uint64_t of, const std::string& why) {
  return {"cpu-clock", "computation of " + std::to_string(ranks) + " of " + std::to_string(of) +
                           " ranks is measured by CPU time" + why};
}

std::optional<Warning> thread_waits_unseen(std::span<const RankTrace> ranks) {
  std::size_t threads = 0;
  std::size_t of = 0;
  for (const RankTrace& rank : ranks) {
    const std::set<std::uint16_t> own(rank.threads.begin(), rank.threads.end());
    if (own.size() < 2) continue;
    threads += own.size() - 1;
    ++of;
  }
  if (of == 0) return std::nullopt;
  const auto counted = [](std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  return Warning{"thread-waits-unseen",
                 counted(threads, "thread") + " of " + counted(of, "rank") +
                     " call MPI in addition to the first one; the trace does not record how "
                     "threads wait for each other outside MPI"};
}

}  // namespace latitude::trace
