#pragma once

#include <string_view>

namespace latitude::trace::native {

/// Whether every letter is one of those of docs/internals/trace-format.md.
bool known_letters(std::string_view shape) noexcept;

}  // namespace latitude::trace::native
