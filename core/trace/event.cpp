#include "core/trace/event.hpp"

#include <algorithm>
#include <string>

namespace latitude::trace {
namespace {

constexpr std::array<std::string_view, kCallCount> kNames = {
#define LATITUDE_CALL(name, call_class, shape) "MPI_" #name,
#include "runtime/tracer/calls.def"
#undef LATITUDE_CALL
};

constexpr std::array<CallClass, kCallCount> kClasses = {
#define LATITUDE_CALL(name, call_class, shape) CallClass::call_class,
#include "runtime/tracer/calls.def"
#undef LATITUDE_CALL
};

constexpr std::array<std::string_view, kCallCount> kShapes = {
#define LATITUDE_CALL(name, call_class, shape) shape,
#include "runtime/tracer/calls.def"
#undef LATITUDE_CALL
};

constexpr bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

/// "MPI_Iallreduce" and "MPI_Allreduce_init" → the entry of MPI_Allreduce.
constexpr Call blocking_form_by_name(std::size_t call) {
  constexpr std::size_t kPrefix = 4;
  std::string_view name = kNames[call].substr(kPrefix);
  if (kClasses[call] == CallClass::icollective) name.remove_prefix(1);
  if (kClasses[call] == CallClass::collective_init) name.remove_suffix(5);
  for (std::size_t other = 0; other < kCallCount; ++other) {
    if (same_but_for_case(kNames[other].substr(kPrefix), name)) return static_cast<Call>(other);
  }
  return Call::count_;
}

constexpr std::array<Call, kCallCount> kBlockingForms = [] {
  std::array<Call, kCallCount> forms{};
  for (std::size_t call = 0; call < kCallCount; ++call) {
    const bool other =
        kClasses[call] == CallClass::icollective || kClasses[call] == CallClass::collective_init;
    forms[call] = other ? blocking_form_by_name(call) : static_cast<Call>(call);
  }
  return forms;
}();
static_assert(std::ranges::count(kBlockingForms, Call::count_) == 0);

}  // namespace

std::string_view name_of(Call call) noexcept {
  return call < Call::count_ ? kNames[static_cast<std::size_t>(call)] : "unknown call";
}

CallClass class_of(Call call) noexcept { return kClasses[static_cast<std::size_t>(call)]; }

Call call_named(std::string_view name) noexcept {
  const auto found = std::ranges::find(kNames, name);
  return static_cast<Call>(found - kNames.begin());
}

std::string_view shape_of(Call call) noexcept { return kShapes[static_cast<std::size_t>(call)]; }

Call blocking_form(Call call) noexcept {
  return call < Call::count_ ? kBlockingForms[static_cast<std::size_t>(call)] : call;
}

bool has_root(Call call) noexcept {
  switch (blocking_form(call)) {
    case Call::Bcast:
    case Call::Reduce:
    case Call::Gather:
    case Call::Gatherv:
    case Call::Scatter:
    case Call::Scatterv:
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
