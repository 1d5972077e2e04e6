#pragma once

#include <string_view>

#include "core/trace/event.hpp"

namespace latitude::trace::native {

/// Whether every letter is one of docs/trace-format.md.
bool known_letters(std::string_view shape) noexcept;

/// The fields a supported call must have; kAnyShape where none are used.
std::string_view shape_of(Call call) noexcept;
inline constexpr std::string_view kAnyShape = "*";

}  // namespace latitude::trace::native
