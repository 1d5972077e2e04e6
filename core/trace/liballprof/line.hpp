#pragma once

#include <string>
#include <string_view>

#include "core/trace/liballprof/record.hpp"

namespace latitude::trace::liballprof {

/// Reads the record [begin, end); *end must be readable and not a digit. False if the line is not a
/// record; `explain_line` then gives the reason.
bool parse_line(const char* begin, const char* end, Record& record) noexcept;

/// The reason for which `line` is not a record, and the remedy.
std::string explain_line(std::string_view line);

}  // namespace latitude::trace::liballprof
