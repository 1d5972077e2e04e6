#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace latitude::trace {

/// Cuts chunks of any size into lines. Lines inside one chunk are passed on in place; only a line
/// across a border is copied, and never more than kLongestLine of it.
class LineBuffer {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  /// Calls line(begin, end) for each complete line; *end is its newline. False if a line is longer
  /// than kLongestLine.
  template <class Line>
  bool feed(std::string_view chunk, Line&& line) {
    const char* p = chunk.data();
    const char* const end = p + chunk.size();
    while (p != end) {
      const auto left = static_cast<std::size_t>(end - p);
      const auto* const newline = static_cast<const char*>(std::memchr(p, '\n', left));
      const char* const stop = newline == nullptr ? end : newline + 1;
      if (carry_.size() + static_cast<std::size_t>(stop - p) > kLongestLine) return false;
      if (newline == nullptr || !carry_.empty()) carry_.append(p, stop);
      if (newline != nullptr) {
        if (carry_.empty()) {
          line(p, newline);
        } else {
          line(carry_.data(), carry_.data() + carry_.size() - 1);
          carry_.clear();
        }
      }
      p = stop;
    }
    return true;
  }

  /// The text after the last newline.
  const std::string& rest() const noexcept { return carry_; }

 private:
  std::string carry_;
};

}  // namespace latitude::trace
