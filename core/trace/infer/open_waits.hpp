#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/trace/infer/pending.hpp"

namespace latitude::trace::infer {

/// MPI_Waitany calls with a choice, while the request that each call completed is open.
class OpenWaits {
 public:
  static constexpr std::uint32_t kNone = AddressMap::kNone;

  explicit OpenWaits(const PendingRequests& pending) : pending_(pending) {}

  bool empty() const { return waits_.empty(); }
  /// Whether too many candidates are stored: the caller should decide the oldest wait.
  bool full() const { return kept_ > kMostKept; }
  std::uint32_t oldest() const { return waits_.front().event; }

  void add(std::uint32_t event, const std::vector<std::uint32_t>& ids);
  bool covers(std::uint32_t id) const { return covering_.contains(id); }
  /// The oldest wait (its event) that may have completed `id`, which at least one covers.
  std::uint32_t first_covering(std::uint32_t id) const;

  struct Choice {
    std::uint32_t what;  ///< kNone if nothing can be chosen
    bool guessed;        ///< whether more than one wait or request was possible
  };
  /// Decides which open wait has completed `id`, which an open wait must have completed.
  Choice taker_of(std::uint32_t id) const;
  /// Completes a wait with the first possible request of its array.
  Choice first_candidate(std::uint32_t event) const;

  void close(std::uint32_t event);
  /// Stores that no open wait has completed `id`.
  void exclude(std::uint32_t id) { covering_.erase(id); }

 private:
  struct Candidate {
    std::uint32_t id;
    std::uint32_t since;  ///< number of its activation
  };
  struct Wait {
    std::uint32_t event;
    std::vector<Candidate>
        candidates;  ///< in array order; completed requests stay, but do not count
  };
  using Waits = std::vector<Wait>;
  static constexpr std::size_t kMostKept = std::size_t{1} << 20;

  bool counts(const Candidate& c) const {
    return pending_.active(c.id) && pending_.active_since(c.id) == c.since;
  }
  Waits::const_iterator find(std::uint32_t event) const;

  const PendingRequests& pending_;
  Waits waits_;                                                ///< in program order
  std::unordered_map<std::uint32_t, std::uint32_t> covering_;  ///< id → open waits that cover it
  std::size_t kept_ = 0;                                       ///< candidates of all waits
};

}  // namespace latitude::trace::infer
