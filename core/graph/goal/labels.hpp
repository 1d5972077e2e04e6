#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latitude::graph::goal {

/// Operations by text: a table with open addresses.
class TextTable {
 public:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;

  /// False if the text already has an operation.
  bool define(std::string_view text, std::uint32_t operation);
  /// kUnknown if the text is missing.
  std::uint32_t find(std::string_view text) const;
  /// The text of an operation; searches all entries.
  std::optional<std::string> name_of(std::uint32_t operation) const;
  void clear();

 private:
  struct Entry {
    std::string_view text{};
    std::uint32_t operation = kUnknown;
    std::uint32_t hash = 0;
  };

  static std::uint32_t hash_of(std::string_view text) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
  }
  /// The entry of a text, or the empty entry that the text would take.
  std::size_t place_of(std::string_view text, std::uint32_t hash) const;
  void grow();

  static constexpr std::size_t kFirst = 64;
  std::vector<Entry> entries_;  ///< their number is a power of two; at most half are taken
  std::size_t taken_ = 0;
  std::pmr::monotonic_buffer_resource texts_;
};

/// The labels of one rank and their operations. Labels with a number at the end (Schedgen's l1, l2,
/// … or send_1, calc_1, …) live in arrays, one for each text before the number; all others in a
/// table.
class Labels {
 public:
  static constexpr std::uint32_t kUnknown = TextTable::kUnknown;

  /// False if the label already has an operation.
  bool define(std::string_view label, std::uint32_t operation);
  /// kUnknown if the label is missing (so far).
  std::uint32_t find(std::string_view label) const;
  /// The label of an operation, for messages; searches all labels.
  std::string name_of(std::uint32_t operation) const;
  void clear();

 private:
  // Pages, so that a few large numbers cost neither memory nor time; the number of pages is
  // bounded, so that many large numbers cannot fill memory.
  static constexpr std::uint32_t kPage = 256;
  static constexpr std::uint32_t kLargest = (1U << 24) - 1;
  static constexpr std::uint32_t kMostPages = (kLargest + 1) / kPage;
  static constexpr std::size_t kMostSeries = 16;
  using Page = std::array<std::uint32_t, kPage>;

  /// Labels that differ in the number at their end.
  struct Series {
    std::string text;  ///< before the number
    std::vector<std::unique_ptr<Page>> pages{};
  };

  struct Counted {
    std::string_view text;
    std::uint32_t number;
  };
  static std::optional<Counted> counted(std::string_view label);

  const Series* series_of(std::string_view text) const;
  std::uint32_t* slot_of(const Counted& label);

  std::vector<Series> series_;
  mutable std::size_t recent_ = 0;  ///< index into `series_`: the next label is likely to be in it
  std::uint32_t pages_ = 0;         ///< number of pages of all series
  TextTable others_;
};

}  // namespace latitude::graph::goal
