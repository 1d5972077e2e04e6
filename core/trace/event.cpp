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

}  // namespace latitude::trace
