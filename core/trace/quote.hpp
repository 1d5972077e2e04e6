#pragma once

#include <string>
#include <string_view>

namespace latitude::trace {

/// At most 24 printable bytes of a file's contents, in quotes, for a message.
inline std::string quote(std::string_view text) {
  std::string out(1, '\'');
  for (const char c : text.substr(0, 24)) out += c >= 0x20 && c < 0x7f ? c : '?';
  out += text.size() > 24 ? "…'" : "'";
  return out;
}

}  // namespace latitude::trace
