#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace latitude::trace::infer {

/// The remedy for all facts that this format does not record.
inline constexpr const char* kRetrace = "trace the program again with latitude trace";

/// "file:line"
inline std::string at(const std::string& file, std::uint64_t line) {
  return file + ":" + std::to_string(line);
}

[[noreturn]] inline void fail(const std::string& file, std::uint64_t line, std::string_view text) {
  throw InputError(at(file, line) + ": " + std::string(text));
}

}  // namespace latitude::trace::infer
