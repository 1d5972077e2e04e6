#include "core/solve/stream/meetings.hpp"

#include <map>

#include "core/error.hpp"

namespace latitude::solve {

void Meetings::call(std::uint32_t rank, const graph::CollectiveCall& call) {
  Comm& comm = comms_[call.comm];
  const std::uint64_t number = comm.made[rank]++ - comm.closed;
  if (number == comm.open.size()) comm.open.push_back({call, rank});
  Meeting& meeting = comm.open[number];
  if (meeting.call.call != call.call || meeting.call.root != call.root) {
    throw InputError(at(meeting.rank, meeting.call) + " (root " +
                     std::to_string(meeting.call.root) + ") meets " + at(rank, call) + " (root " +
                     std::to_string(call.root) +
                     "), its counterpart in the same communicator; the traces do not belong to one "
                     "run");
  }
  ++meeting.callers;
  const std::size_t members = communicators_[call.comm].group.size();
  while (!comm.open.empty() && comm.open.front().callers == members) {
    comm.open.pop_front();
    ++comm.closed;
  }
}

void Meetings::finish() const {
  const std::map<std::uint32_t, const Comm*> ordered = [&] {
    std::map<std::uint32_t, const Comm*> result;
    for (const auto& [number, comm] : comms_) result[number] = &comm;
    return result;
  }();
  for (const auto& [number, comm] : ordered) {
    if (comm->open.empty()) continue;
    const Meeting& first = comm->open.front();
    const std::vector<std::int32_t>& group = communicators_[number].group;
    if (comm->made.size() != group.size()) {
      throw InputError(at(first.rank, first.call) + " is called by " +
                       std::to_string(comm->made.size()) + " of " + std::to_string(group.size()) +
                       " members of its communicator; the trace is incomplete");
    }
    for (const std::int32_t member : group) {
      const auto rank = static_cast<std::uint32_t>(member);
      if (comm->made.at(rank) > comm->closed) continue;
      throw InputError(at(first.rank, first.call) + " has no counterpart on rank " +
                       std::to_string(rank) + "; the trace is incomplete");
    }
  }
}

}  // namespace latitude::solve
