#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/rank_builder.hpp"
#include "core/trace/event.hpp"

namespace latitude::solve {

/// Checks, call by call, that all members of a communicator call the same collectives in the same
/// order (MPI 4.1 §6.13). It stores the calls that not all members have reached.
class Meetings {
 public:
  /// `where`: "file:line: MPI_Barrier" of a rank's call.
  using Where = std::function<std::string(std::uint32_t rank, std::uint32_t position, trace::Call)>;

  Meetings(const std::vector<trace::Communicator>& communicators, Where where)
      : communicators_(communicators), where_(std::move(where)) {}

  /// InputError if the call differs from that of other members.
  void call(std::uint32_t rank, const graph::CollectiveCall& call);
  /// InputError if a member has not made a call that others have.
  void finish() const;

 private:
  struct Meeting {
    graph::CollectiveCall call;
    std::uint32_t rank;  ///< the first member to make the call
    std::uint32_t callers = 0;
  };
  struct Comm {
    std::deque<Meeting> open;
    std::uint64_t closed = 0;
    std::unordered_map<std::uint32_t, std::uint64_t> made;  ///< number of calls so far, by rank
  };

  std::string at(std::uint32_t rank, const graph::CollectiveCall& call) const {
    return where_(rank, call.position, call.call);
  }

  const std::vector<trace::Communicator>& communicators_;
  Where where_;
  std::unordered_map<std::uint32_t, Comm> comms_;
};

}  // namespace latitude::solve
