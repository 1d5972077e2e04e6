#pragma once

#include <string>
#include <string_view>

#include "core/trace/liballprof/record.hpp"

namespace latitude::trace::liballprof {

/// Reads the record [begin, end); *end must be readable and no digit. False when the line is not
/// one; `explain_line` then says why.
bool parse_line(const char* begin, const char* end, Record& record) noexcept;

/// Why `line` is not a record, and what to do about it.
std::string explain_line(std::string_view line);

}  // namespace latitude::trace::liballprof
