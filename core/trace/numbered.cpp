#include "core/trace/numbered.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "core/error.hpp"

namespace latitude::trace {
namespace {

constexpr std::string_view kCompressions[] = {".gz", ".xz", ".bz2", ".zst"};
constexpr std::string_view kLastCall =
    ".last";  ///< suffix of the file with the last call of a rank that did not end
constexpr std::size_t kMostDigits = 9;
constexpr std::size_t kShown = 4;

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool of_a_word(char c) { return digit(c) || letter(c) || c == '_' || (c & 0x80) != 0; }

/// A name without its single suffix: a dot, a letter, and word characters.
std::string_view without_suffix(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size() || !letter(name[dot + 1]) ||
      !std::ranges::all_of(name.substr(dot + 1), of_a_word)) {
    return name;
  }
  return name.substr(0, dot);
}

/// 1234567 → "1,234,567"
std::string grouped(std::size_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

void check_complete(const std::map<std::uint32_t, std::string>& by_rank, const std::string& place) {
  const std::uint32_t highest = by_rank.rbegin()->first;
  const std::size_t missing = std::size_t{highest} + 1 - by_rank.size();
  if (missing == 0) return;
  std::string ranks;
  std::size_t shown = 0;
  for (std::uint32_t rank = 0; shown < std::min(missing, kShown); ++rank) {
    if (by_rank.contains(rank)) continue;
    ranks.append(shown++ == 0 ? "" : ", ").append(std::to_string(rank));
  }
  if (missing > shown) ranks += " and " + grouped(missing - shown) + " more";
  throw InputError(place + (missing == 1 ? ": rank " : ": ranks ") + ranks +
                   (missing == 1 ? " is" : " are") + " missing (the highest is rank " +
                   std::to_string(highest) + ", '" + by_rank.at(highest) +
                   "'); copy the files of every rank");
}

}  // namespace

std::optional<std::uint32_t> rank_of(std::string_view file) {
  std::string_view name = file.substr(file.rfind('/') + 1);
  if (name.starts_with('.') || name.ends_with(kLastCall)) return std::nullopt;
  for (const std::string_view suffix : kCompressions) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  name = without_suffix(name);
  std::size_t digits = 0;
  while (digits < std::min(kMostDigits, name.size()) && digit(name[name.size() - 1 - digits])) {
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  std::uint32_t rank = 0;
  std::from_chars(name.data() + name.size() - digits, name.data() + name.size(), rank);
  return rank;
}

std::vector<std::string> numbered_files(const Place& place) {
  std::vector<std::string> names = place.files;
  std::ranges::sort(names);
  std::map<std::uint32_t, std::string> by_rank;
  for (const std::string& name : names) {
    const std::optional<std::uint32_t> rank = rank_of(name);
    if (!rank) continue;
    const auto [at, fresh] = by_rank.try_emplace(*rank, name);
    if (!fresh) {
      throw InputError(place.name + ": '" + at->second + "' and '" + name + "' are both rank " +
                       std::to_string(*rank) + "; keep the files of one run only");
    }
  }
  if (by_rank.empty()) return {};
  check_complete(by_rank, place.name);
  std::vector<std::string> ordered;
  for (auto& [rank, name] : by_rank) ordered.push_back(std::move(name));
  return ordered;
}

}  // namespace latitude::trace
