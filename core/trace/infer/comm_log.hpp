#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/infer/address_map.hpp"

namespace latitude::trace::infer {

inline constexpr std::uint32_t kNever = AddressMap::kNone;
inline constexpr std::uint32_t kNothing = AddressMap::kNone;

/// A communicator as a call's record shows it.
struct CommField {
  std::uint64_t handle;
  std::int32_t rank;
  std::int32_t size;
};

/// A range of lines in which one handle meant one communicator. Handles are reused after
/// MPI_Comm_free, so every free ends the range of every handle except the world's.
struct HandleUse {
  std::uint64_t handle;
  std::int32_t rank;
  std::int32_t size;
  std::uint32_t first_line;
  std::uint32_t last_line;
  bool continues;         ///< whether handle, rank and size were used before the last free
  bool in_event = false;  ///< an event needs this communicator
};

/// A call that made a communicator.
struct Creation {
  Call call;
  std::uint32_t line;
  std::uint32_t parent;     ///< index of a HandleUse
  std::int32_t first = 0;   ///< colour of a split, reorder of a grid, nodes of a graph
  std::int32_t second = 0;  ///< key of a split, reorder of a graph
  std::uint64_t variable;   ///< address of the MPI_Comm
  std::uint32_t freed_line = kNever;
  std::uint32_t free_event = kNothing;
};

/// The records of one rank's file on communicators, in the order of its lines.
class CommLog {
 public:
  /// The use of a record's communicator (kNothing if it has no rank or no size).
  std::uint32_t use(const CommField& comm, std::uint32_t line, bool in_event) {
    if (last_ == kNothing || !stands_for(last_, comm)) {
      last_ = look_up(comm, line);
      if (last_ == kNothing) return kNothing;
    }
    uses[last_].last_line = line;
    uses[last_].in_event |= in_event;
    return last_;
  }

  /// Adds the next call that makes a communicator; `creation.line` is its own line.
  void create(const Creation& creation);
  void free(std::uint64_t variable, std::uint32_t line, std::uint32_t event);

  std::vector<HandleUse> uses;               ///< by first line
  std::vector<Creation> creations;           ///< by line
  std::vector<std::uint32_t> unknown_frees;  ///< lines that freed an unknown communicator
  std::uint32_t first_free = kNever;         ///< line of the first MPI_Comm_free
  std::uint32_t world = kNothing;            ///< the use that is MPI_COMM_WORLD

 private:
  /// Whether `use` still gives the meaning of this field.
  bool stands_for(std::uint32_t use, const CommField& comm) const {
    const HandleUse& u = uses[use];
    return u.handle == comm.handle && u.rank == comm.rank && u.size == comm.size &&
           (epoch_of_[use] == epoch_ || use == world);
  }
  std::uint32_t look_up(const CommField& comm, std::uint32_t line);

  AddressMap use_of_handle_;
  AddressMap creation_of_variable_;
  std::vector<std::uint32_t> epoch_of_;  ///< epoch_ at each use
  std::uint32_t epoch_ = 0;              ///< counts frees
  std::uint32_t last_ = kNothing;
};

}  // namespace latitude::trace::infer
