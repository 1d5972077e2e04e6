#include "core/trace/native/meta.hpp"

#include <charconv>
#include <cmath>

namespace latitude::trace::native {
namespace {

constexpr int kDeepest = 64;

/// The part of JSON (RFC 8259) that is needed to find numbers and strings at the top level.
class Json {
 public:
  explicit Json(std::string_view text) : rest_(text) {}

  std::optional<Meta> meta() {
    Meta meta;
    const bool whole = object(0, [&](std::string_view key) { return member(key, meta); });
    space();
    if (!whole || !rest_.empty()) return std::nullopt;
    return meta;
  }

 private:
  bool member(std::string_view key, Meta& meta) {
    if (key == "null_gap_ns") return count(meta.null_gap_ns);
    if (key == "null_cpu_gap_ns") return count(meta.null_cpu_gap_ns);
    if (key == "null_call_ns") return count(meta.null_call_ns);
    if (key == "cores") return count(meta.cores);
    if (key == "ranks_on_host") return count(meta.ranks_on_host);
    if (key == "host") return string(&meta.host);
    return value(1);
  }

  void space() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  bool take(char c) {
    space();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  template <class Member>
  bool object(int depth, Member member) {
    if (depth > kDeepest || !take('{')) return false;
    if (take('}')) return true;
    do {
      std::string key;
      if (!string(&key) || !take(':') || !member(key)) return false;
    } while (take(','));
    return take('}');
  }

  bool array(int depth) {
    if (depth > kDeepest || !take('[')) return false;
    if (take(']')) return true;
    do {
      if (!value(depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool value(int depth) {
    space();
    if (rest_.empty()) return false;
    switch (rest_[0]) {
      case '{':
        return object(depth, [&](std::string_view) { return value(depth + 1); });
      case '[':
        return array(depth);
      case '"':
        return string(nullptr);
      default:
        for (const std::string_view word : {"true", "false", "null"}) {
          if (rest_.starts_with(word)) {
            rest_.remove_prefix(word.size());
            return true;
          }
        }
        double ignored;
        return number(ignored);
    }
  }

  /// Escapes are kept unchanged: no member in use has any.
  bool string(std::string* to) {
    if (!take('"')) return false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (static_cast<unsigned char>(rest_[i]) < ' ') {
        return false;
      } else if (rest_[i] == '"') {
        if (to != nullptr) *to = rest_.substr(0, i);
        rest_.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  bool number(double& value) {
    space();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  bool count(std::int64_t& to) {
    double value;
    if (!number(value) || !(value >= 0 && value < 1e15)) return false;
    to = std::llround(value);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<Meta> parse_meta(std::string_view json) { return Json(json).meta(); }

}  // namespace latitude::trace::native
