#include "core/graph/goal/lexer.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/error.hpp"

namespace latitude::graph::goal {
namespace {

/// The text at `at`, short and printable, for messages.
std::string found(const char* at) {
  constexpr std::ptrdiff_t kLongest = 24;
  if (*at == '\n') return "the end of the line";
  const char* end = at;
  while (*end > ' ' && *end <= '~' && end - at < kLongest) ++end;
  if (end != at) return std::string("'").append(at, end) + (end - at == kLongest ? "…'" : "'");
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(*at);
  return std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

}  // namespace

void Lexer::fail_at(std::uint64_t line, const std::string& message) const {
  throw InputError(name_ + ":" + std::to_string(line) + ": " + message);
}

void Lexer::fail_expected(const std::string& expected) const {
  fail("expected " + expected + ", found " + found(at_));
}

std::uint64_t Lexer::unusual_number(std::uint64_t max, const char* what) {
  std::uint64_t value = 0;
  const auto [behind, error] = std::from_chars(at_, end_, value);
  if (error != std::errc() || value > max) fail_number(max, what);
  at_ = behind;
  return value;
}

void Lexer::fail_number(std::uint64_t max, const char* what) const {
  fail_expected(std::string(what) + " (0 to " + std::to_string(max) + ")");
}

bool Lexer::skip_comment() {
  if (at_[1] == '/') {
    at_ = std::find(at_, end_, '\n');
    return false;
  }
  if (at_[1] != '*') return false;
  at_ += 2;
  finish_comment();
  return !in_comment_;
}

/// Skips from inside a comment to the end of the comment or of the line, but no further: a line may
/// hold many comments.
void Lexer::finish_comment() {
  while (*at_ != '\n' && !(at_[0] == '*' && at_[1] == '/')) ++at_;
  in_comment_ = *at_ == '\n';
  if (!in_comment_) at_ += 2;
}

}  // namespace latitude::graph::goal
