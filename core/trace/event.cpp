#include "core/trace/event.hpp"

#include <algorithm>
#include <string>

namespace latitude::trace {
namespace {

constexpr std::array<std::string_view, kCallCount> kNames = {
#define LATITUDE_CALL(name, call_class) "MPI_" #name,
#include "core/trace/calls.def"
#undef LATITUDE_CALL
};

constexpr std::array<CallClass, kCallCount> kClasses = {
#define LATITUDE_CALL(name, call_class) CallClass::call_class,
#include "core/trace/calls.def"
#undef LATITUDE_CALL
};

}  // namespace

std::string_view name_of(Call call) noexcept {
  return call < Call::count_ ? kNames[static_cast<std::size_t>(call)] : "unknown call";
}

CallClass class_of(Call call) noexcept { return kClasses[static_cast<std::size_t>(call)]; }

Call call_named(std::string_view name) noexcept {
  const auto found = std::ranges::find(kNames, name);
  return static_cast<Call>(found - kNames.begin());
}

bool has_root(Call call) noexcept {
  switch (call) {
    case Call::Bcast:
    case Call::Reduce:
    case Call::Gather:
    case Call::Gatherv:
    case Call::Scatter:
    case Call::Scatterv:
    case Call::Ibcast:
    case Call::Ireduce:
    case Call::Igather:
    case Call::Igatherv:
    case Call::Iscatter:
    case Call::Iscatterv:
      return true;
    default:
      return false;
  }
}

std::string where(const RankTrace& rank, const Event& event) {
  return rank.source + ":" + std::to_string(event.position) + ": " +
         std::string(name_of(event.call));
}

std::span<std::int64_t> resolved_pairs(RankTrace& rank, Event& start) {
  std::vector<std::int64_t>& args = rank.args;
  const std::size_t from = start.args;
  const auto count = static_cast<std::size_t>(args[from]);
  if ((start.flags & kResolved) == 0) {
    if (args.size() >= kNoArgs) {
      throw InputError(where(rank, start) + " is one call too many for 32-bit indices");
    }
    start.args = static_cast<std::uint32_t>(args.size());
    start.flags |= kResolved;
    for (std::size_t i = 0; i <= count; ++i) args.push_back(std::int64_t{args[from + i]});
    for (std::size_t i = 1; i <= count; ++i) {
      const Event& made = rank.events[static_cast<std::size_t>(args[from + i])];
      args.insert(args.end(), {made.peer, made.tag});
    }
  }
  return std::span(args).subspan(start.args + 1 + count, 2 * count);
}

}  // namespace latitude::trace
