#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace latitude::graph::goal {

/// The labels of one rank and the operations they stand for. Labels that count, as Schedgen writes
/// them (l1, l2, …), live in an array; any other in a hash table.
class Labels {
 public:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;

  /// False when the label already stands for an operation.
  bool define(std::string_view label, std::uint32_t operation);
  /// kUnknown when there is no such label (yet).
  std::uint32_t find(std::string_view label) const;
  /// The label of an operation, for messages: looks at all of them.
  std::string name_of(std::uint32_t operation) const;
  void clear();

 private:
  // Pages, so that a few large numbers neither cost memory nor time; bounded, so that many cannot.
  static constexpr std::uint32_t kPage = 256;
  static constexpr std::uint32_t kLargest = (1U << 24) - 1;
  using Page = std::array<std::uint32_t, kPage>;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view label) const {
      return std::hash<std::string_view>{}(label);
    }
  };

  /// The number of a label l0, l1, …; only without leading zeros, so that each has one spelling.
  static std::optional<std::uint32_t> counted(std::string_view label) {
    constexpr std::size_t kLongest = 9;
    const std::size_t size = label.size();
    if (size < 2 || size > kLongest || label[0] != 'l' || (label[1] == '0' && size > 2)) return {};
    std::uint32_t number = 0;
    for (std::size_t i = 1; i < size; ++i) {
      const auto digit = static_cast<std::uint32_t>(label[i]) - '0';
      if (digit > 9) return {};
      number = number * 10 + digit;
    }
    if (number > kLargest) return {};
    return number;
  }

  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<std::uint32_t> used_pages_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> others_;
};

}  // namespace latitude::graph::goal
