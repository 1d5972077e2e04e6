#pragma once

#include <cstddef>
#include <string_view>

#include "core/trace/liballprof/record.hpp"

namespace latitude::trace::liballprof {

/// The call named "MPI_…", or nullptr if the format does not have it.
const CallSyntax* find_call(std::string_view name) noexcept;

/// Rows of grammar.def.
std::size_t call_syntax_count() noexcept;
const CallSyntax& call_syntax(std::size_t index) noexcept;

}  // namespace latitude::trace::liballprof
