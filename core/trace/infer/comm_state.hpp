#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/trace/infer/rank_log.hpp"

namespace latitude::trace::infer {

using Group = std::shared_ptr<const std::vector<std::int32_t>>;

inline constexpr std::uint32_t kWorldComm = 0;

/// Known facts about the communicator that one call gave to one rank.
enum class Outcome : std::uint8_t {
  unknown,  ///< the parent is not known yet
  none,     ///< MPI_COMM_NULL, or one process
  known,
  prefix,  ///< the parent's first n processes; uses of the handle show n
  opaque,  ///< the call does not show the members; their handles may show them
};

struct CreationState {
  Outcome outcome = Outcome::unknown;
  std::uint32_t comm = kNothing;      ///< if known
  std::int32_t rank = 0;              ///< if known, in that communicator
  std::int32_t size = 0;              ///< if known, of that communicator
  std::uint32_t instance = kNothing;  ///< the collective call that it was part of
  bool bound = false;                 ///< whether its handle is known
  std::uint64_t handle = 0;
  std::vector<std::uint32_t> uses;  ///< uses of that handle
  std::uint32_t last_line = 0;      ///< last line of those uses
};

struct UseState {
  std::uint32_t comm = kNothing;
  std::uint32_t creation = kNothing;
};

struct RankState {
  const CommLog* log;
  std::vector<UseState> uses;                       ///< parallel to log->uses
  std::vector<CreationState> creations;             ///< parallel to log->creations
  std::vector<std::vector<std::uint32_t>> made_on;  ///< use → creations with that parent
};

struct CommState {
  Group group;
  std::vector<std::vector<std::uint32_t>>
      made;                 ///< member → creations on it; empty until one exists
  std::size_t matched = 0;  ///< number of matched creations of each member
  std::uint32_t merged_into =
      kNothing;                       ///< congruent with this communicator and not distinguishable
  bool merged = false;                ///< others were merged into this communicator
  bool frozen = false;                ///< the order of its communicators is lost
  std::uint32_t instance = kNothing;  ///< the call that made it
};

/// One collective call that made communicators: the creation of each member of the parent.
struct Instance {
  std::uint32_t index;
  std::uint32_t parent;
  std::vector<std::uint32_t> creations;
};

/// The facts about all communicators of a run, and the deductions that need no choice.
class CommFacts {
 public:
  explicit CommFacts(const std::vector<RankLog>& logs);

  /// Matches creations across ranks and finds groups, as far as the bound handles allow. True if a
  /// new fact became known.
  bool deduce();

  /// Binds `use` to the `creation` that gave its handle.
  void bind(std::uint32_t rank, std::uint32_t use, std::uint32_t creation);
  /// Stores that `use` is `comm`, from any of its creations.
  void assign(std::uint32_t rank, std::uint32_t use, std::uint32_t comm);
  /// Merges `b` into the congruent `a`, from which it cannot be distinguished.
  void merge(std::uint32_t a, std::uint32_t b);
  std::uint32_t root(std::uint32_t comm) const;

  /// Whether found(rank, creation) holds for one of the creations that made `comm`, one per member.
  template <class Found>
  bool any_maker(std::uint32_t comm, Found&& found) const {
    const Instance& instance = instances[comms[comm].instance];
    const std::vector<std::int32_t>& parent = *comms[instance.parent].group;
    for (std::size_t m = 0; m < parent.size(); ++m) {
      const auto rank = static_cast<std::uint32_t>(parent[m]);
      const CreationState& state = ranks[rank].creations[instance.creations[m]];
      if (state.outcome == Outcome::known && state.comm == comm && found(rank, state)) return true;
    }
    return false;
  }

  /// Whether `creation` may have given this handle, by rank, size and order.
  bool fits(std::uint32_t rank, std::uint32_t creation, const HandleUse& use) const;

  const std::vector<RankLog>& logs;
  std::vector<RankState> ranks;
  std::vector<CommState> comms;
  std::vector<Instance> instances;

 private:
  void seed(std::uint32_t rank);
  std::uint32_t add_comm(Group group, std::uint32_t instance = kNothing);
  void match(std::uint32_t comm);
  void give_outcomes(std::uint32_t instance);
  void split(const Instance& instance);
  bool pin(const Instance& instance);
  void know(const Instance& instance, std::span<const std::uint32_t> members);
  CreationState& state_of(const Instance& instance, std::uint32_t member);
  const Creation& record_of(const Instance& instance, std::uint32_t member) const;

  std::vector<std::uint32_t> to_match_;  ///< communicators with new creations
  std::vector<std::uint32_t> to_pin_;    ///< instances with newly bound handles
};

}  // namespace latitude::trace::infer
