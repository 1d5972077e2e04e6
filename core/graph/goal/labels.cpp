#include "core/graph/goal/labels.hpp"

#include <algorithm>
#include <utility>

namespace latitude::graph::goal {

bool TextTable::define(std::string_view text, std::uint32_t operation) {
  if (2 * (taken_ + 1) > entries_.size()) grow();
  const std::uint32_t hash = hash_of(text);
  Entry& entry = entries_[place_of(text, hash)];
  if (entry.operation != kUnknown) return false;
  auto* const kept = static_cast<char*>(texts_.allocate(text.size(), 1));
  std::ranges::copy(text, kept);
  entry = {{kept, text.size()}, operation, hash};
  ++taken_;
  return true;
}

std::uint32_t TextTable::find(std::string_view text) const {
  return entries_.empty() ? kUnknown : entries_[place_of(text, hash_of(text))].operation;
}

std::optional<std::string> TextTable::name_of(std::uint32_t operation) const {
  const auto found = std::ranges::find(entries_, operation, &Entry::operation);
  if (found == entries_.end()) return {};
  return std::string(found->text);
}

void TextTable::clear() {
  entries_.clear();
  taken_ = 0;
  texts_.release();
}

std::size_t TextTable::place_of(std::string_view text, std::uint32_t hash) const {
  std::size_t place = hash & (entries_.size() - 1);
  const auto is_other = [&](const Entry& entry) {
    return entry.operation != kUnknown && (entry.hash != hash || entry.text != text);
  };
  while (is_other(entries_[place])) place = (place + 1) & (entries_.size() - 1);
  return place;
}

void TextTable::grow() {
  std::vector<Entry> before(std::max(kFirst, 2 * entries_.size()));
  before.swap(entries_);
  for (const Entry& entry : before) {
    if (entry.operation != kUnknown) entries_[place_of(entry.text, entry.hash)] = entry;
  }
}

/// The text and the number of a label; none if the label has no number, or if it is too large.
/// Leading zeros belong to the text, so that each number has one spelling.
std::optional<Labels::Counted> Labels::counted(std::string_view label) {
  constexpr std::size_t kMostDigits = 8;
  std::size_t begin = label.size();
  std::uint32_t number = 0;
  for (std::uint32_t place = 1; begin > 0; --begin, place *= 10) {
    const auto digit = static_cast<std::uint32_t>(label[begin - 1]) - '0';
    if (digit > 9) break;
    if (label.size() - begin == kMostDigits) return {};
    number += digit * place;
  }
  if (begin == label.size() || number > kLargest) return {};
  while (label[begin] == '0' && begin + 1 < label.size()) ++begin;
  return Counted{label.substr(0, begin), number};
}

const Labels::Series* Labels::series_of(std::string_view text) const {
  if (recent_ < series_.size() && series_[recent_].text == text) return &series_[recent_];
  const auto found = std::ranges::find(series_, text, &Series::text);
  if (found == series_.end()) return nullptr;
  recent_ = static_cast<std::size_t>(found - series_.begin());
  return &*found;
}

/// The place of a label's operation; nullptr if there are too many series or pages. Their numbers
/// never shrink, so a label without a place never gets one.
std::uint32_t* Labels::slot_of(const Counted& label) {
  if (series_of(label.text) == nullptr) {
    if (series_.size() == kMostSeries) return nullptr;
    recent_ = series_.size();
    series_.push_back({std::string(label.text)});
  }
  std::vector<std::unique_ptr<Page>>& pages = series_[recent_].pages;
  const std::uint32_t page = label.number / kPage;
  if (page >= pages.size()) pages.resize(page + 1);
  if (!pages[page]) {
    if (pages_ == kMostPages) return nullptr;
    ++pages_;
    pages[page] = std::make_unique<Page>();
    pages[page]->fill(kUnknown);
  }
  return &(*pages[page])[label.number % kPage];
}

bool Labels::define(std::string_view label, std::uint32_t operation) {
  const auto number = counted(label);
  if (std::uint32_t* const slot = number ? slot_of(*number) : nullptr) {
    if (*slot != kUnknown) return false;
    *slot = operation;
    return true;
  }
  return others_.define(label, operation);
}

std::uint32_t Labels::find(std::string_view label) const {
  if (const auto number = counted(label)) {
    if (const Series* const series = series_of(number->text)) {
      const std::uint32_t page = number->number / kPage;
      if (page < series->pages.size() && series->pages[page]) {
        return (*series->pages[page])[number->number % kPage];
      }
    }
  }
  return others_.find(label);
}

std::string Labels::name_of(std::uint32_t operation) const {
  if (auto label = others_.name_of(operation)) return *std::move(label);
  for (const Series& series : series_) {
    for (std::size_t page = 0; page < series.pages.size(); ++page) {
      if (!series.pages[page]) continue;
      const auto found = std::ranges::find(*series.pages[page], operation);
      if (found == series.pages[page]->end()) continue;
      const auto in_page = static_cast<std::size_t>(found - series.pages[page]->begin());
      return series.text + std::to_string(page * kPage + in_page);
    }
  }
  return "operation " + std::to_string(operation);
}

void Labels::clear() {
  series_.clear();
  recent_ = 0;
  pages_ = 0;
  others_.clear();
}

}  // namespace latitude::graph::goal
