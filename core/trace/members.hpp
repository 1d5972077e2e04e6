#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace latitude::trace {

/// Members of a communicator, as world ranks in communicator rank order. Copies share the list, and
/// so do communicators of one group: many communicators of many ranks take no more memory than one.
class Members {
 public:
  Members() = default;
  Members(std::vector<std::int32_t> ranks)  // NOLINT(*-explicit-*): a list is one of members
      : held_(std::make_shared<const Held>(std::move(ranks))) {}
  Members(std::initializer_list<std::int32_t> ranks) : Members(std::vector(ranks)) {}
  /// The members of the world: 0 to size − 1.
  static Members all(std::size_t size) {
    std::vector<std::int32_t> ranks(size);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }

  const std::vector<std::int32_t>& ranks() const noexcept {
    static const std::vector<std::int32_t> kNone;
    return held_ ? held_->ranks : kNone;
  }
  operator const std::vector<std::int32_t>&() const noexcept {
    return ranks();
  }  // NOLINT(*-explicit-*)
  std::size_t size() const noexcept { return ranks().size(); }
  bool empty() const noexcept { return ranks().empty(); }
  std::int32_t operator[](std::size_t place) const noexcept { return held_->ranks[place]; }
  auto begin() const noexcept { return ranks().begin(); }
  auto end() const noexcept { return ranks().end(); }

  bool operator==(const Members& other) const noexcept {
    return held_ == other.held_ || ranks() == other.ranks();
  }

  /// The rank in the communicator of a world rank; std::nullopt if it is not a member.
  std::optional<std::int32_t> place_of(std::size_t rank) const noexcept {
    const auto world = static_cast<std::int64_t>(rank);
    if (!held_) return std::nullopt;
    const std::vector<std::int32_t>& ranks = held_->ranks;
    if (rank < ranks.size() && ranks[rank] == world) return ranks[rank];
    const std::vector<std::uint32_t>& ascending = held_->ascending;
    if (ascending.empty()) {
      const auto found = std::ranges::lower_bound(ranks, world);
      if (found == ranks.end() || *found != world) return std::nullopt;
      return static_cast<std::int32_t>(found - ranks.begin());
    }
    const auto world_of = [&](std::uint32_t place) { return ranks[place]; };
    const auto found = std::ranges::lower_bound(ascending, world, {}, world_of);
    if (found == ascending.end() || world_of(*found) != world) return std::nullopt;
    return static_cast<std::int32_t>(*found);
  }

 private:
  struct Held {
    explicit Held(std::vector<std::int32_t> given) : ranks(std::move(given)) {
      if (std::ranges::is_sorted(ranks)) return;
      ascending.resize(ranks.size());
      std::iota(ascending.begin(), ascending.end(), 0U);
      std::ranges::sort(ascending, {}, [&](std::uint32_t place) { return ranks[place]; });
    }

    std::vector<std::int32_t> ranks;
    std::vector<std::uint32_t> ascending;  ///< places by world rank, if the members are not
                                           ///< ascending
  };

  std::shared_ptr<const Held> held_;
};

}  // namespace latitude::trace
