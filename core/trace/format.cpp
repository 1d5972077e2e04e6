#include "core/trace/format.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace latitude::trace {

std::size_t choice_of(const FormatOption& option, const Chosen& chosen) {
  const auto given = chosen.find(option.name);
  const std::string_view value = given == chosen.end() ? option.standard : given->second;
  const auto found = std::ranges::find(option.choices, value);
  if (found != option.choices.end()) {
    return static_cast<std::size_t>(found - option.choices.begin());
  }
  std::string known;
  for (const std::string_view choice : option.choices) {
    known.append(known.empty() ? "" : ", ").append(choice);
  }
  throw InputError("unknown " + std::string(option.name) + " '" + std::string(value) +
                   "'; use one of " + known);
}

bool is_on(const FormatOption& option, const Chosen& chosen) {
  const auto given = chosen.find(option.name);
  return given != chosen.end() && given->second == kYes;
}

void check_chosen(const Chosen& chosen) {
  for (const Format* format : formats()) {
    for (const FormatOption& option : format->options) {
      if (!option.choices.empty()) choice_of(option, chosen);
    }
  }
}

std::optional<Found> find_trace(const Place& place) {
  for (const Format* format : formats()) {
    std::vector<std::string> parts = format->parts(place);
    if (!parts.empty()) return Found{format, std::move(parts)};
  }
  return std::nullopt;
}

}  // namespace latitude::trace
