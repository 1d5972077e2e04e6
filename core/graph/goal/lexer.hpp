#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace latitude::graph::goal {

/// The classes of a byte; it may have several.
enum Class : std::uint8_t { kBlank = 1, kLetter = 2, kDigit = 4, kOfIdentifier = 8 };

inline constexpr auto kClasses = [] {
  std::array<std::uint8_t, 256> of{};
  const auto add = [&](char first, char last, int classes) {
    for (int c = first; c <= last; ++c) {
      of[static_cast<std::size_t>(c)] |= static_cast<std::uint8_t>(classes);
    }
  };
  for (const char c : {' ', '\t', '\r'}) add(c, c, kBlank);
  add('a', 'z', kLetter | kOfIdentifier);
  add('A', 'Z', kLetter | kOfIdentifier);
  add('0', '9', kDigit | kOfIdentifier);
  add('_', '_', kOfIdentifier);
  return of;
}();

constexpr bool is(Class a, char c) { return (kClasses[static_cast<unsigned char>(c)] & a) != 0; }

/// Reads tokens from a block of whole lines. The block must end with '\n', which no token contains,
/// so that no loop over a token needs a check for the end of the block.
class Lexer {
 public:
  explicit Lexer(const std::string& name) : name_(name) {}

  void set_block(std::string_view block) {
    at_ = block.data();
    end_ = at_ + block.size();
  }
  bool done() const { return at_ == end_; }
  char peek() const { return *at_; }
  std::uint64_t line() const { return line_; }
  bool in_comment() const { return in_comment_; }

  /// Skips blanks and comments, but stops at the end of the line.
  void skip_blanks() {
    do {
      const char* p = at_;
      while (is(kBlank, *p)) ++p;
      at_ = p;
    } while (*at_ == '/' && skip_comment());
  }
  /// Skips blanks, comments and ends of lines; then it is done(), or at a token.
  void skip_lines() {
    while (!done()) {
      if (in_comment_) finish_comment();
      if (!in_comment_) skip_blanks();
      if (*at_ != '\n') return;
      next_line();
    }
  }
  void next_line() {
    ++at_;
    ++line_;
  }
  bool accept(char c) {
    if (*at_ != c) return false;
    ++at_;
    return true;
  }
  /// Skips the keyword, if it comes next. Requires no blank after it, as LogGOPSim's reader.
  bool accept(std::string_view keyword) {
    const char* p = at_;
    for (const char c : keyword) {
      if (*p != c) return false;
      ++p;
    }
    at_ = p;
    return true;
  }
  /// [A-Za-z][A-Za-z0-9_]*, or empty.
  std::string_view identifier() {
    const char* const begin = at_;
    const char* p = begin;
    if (!is(kLetter, *p)) return {};
    while (is(kOfIdentifier, *p)) ++p;
    at_ = p;
    return {begin, p};
  }
  /// Goes back to an identifier that turned out to be wrong.
  void unread(std::string_view identifier) {
    if (!identifier.empty()) at_ = identifier.data();
  }
  /// A decimal number up to `max`; `what` is its name in messages.
  std::uint64_t number(std::uint64_t max, const char* what) {
    constexpr std::ptrdiff_t kAlwaysFit = 19;  // any number of 19 digits fits in 64 bits
    const char* p = at_;
    std::uint64_t value = 0;
    while (is(kDigit, *p)) value = value * 10 + static_cast<std::uint64_t>(*p++ - '0');
    if (p == at_ || p - at_ > kAlwaysFit) return unusual_number(max, what);
    if (value > max) fail_number(max, what);
    at_ = p;
    return value;
  }

  /// InputError "name:line: message"
  [[noreturn]] void fail(const std::string& message) const { fail_at(line_, message); }
  [[noreturn]] void fail_at(std::uint64_t line, const std::string& message) const;
  /// InputError: `expected` is missing here, and something else is in its place.
  [[noreturn]] void fail_expected(const std::string& expected) const;

 private:
  /// True if a comment was skipped and the line may continue after it.
  bool skip_comment();
  void finish_comment();
  /// Reads a number of more than 19 digits; InputError if no number is here.
  std::uint64_t unusual_number(std::uint64_t max, const char* what);
  [[noreturn]] void fail_number(std::uint64_t max, const char* what) const;

  const std::string& name_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t line_ = 1;
  bool in_comment_ = false;  // inside /* */, at the end of a line or of a block
};

}  // namespace latitude::graph::goal
