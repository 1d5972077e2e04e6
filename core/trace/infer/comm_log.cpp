#include "core/trace/infer/comm_log.hpp"

namespace latitude::trace::infer {

std::uint32_t CommLog::look_up(const CommField& comm, std::uint32_t line) {
  if (comm.rank < 0 || comm.size <= comm.rank) return kNothing;  // MPI_COMM_NULL
  const std::uint32_t known = use_of_handle_.find(comm.handle);
  if (known != kNothing && stands_for(known, comm)) return known;
  const bool continues =
      known != kNothing && uses[known].rank == comm.rank && uses[known].size == comm.size;
  const auto index = static_cast<std::uint32_t>(uses.size());
  // Any communicator with more than one process descends from MPI_COMM_WORLD through calls that
  // name their parent, so the first such handle is the world's. (If the world has one process, any
  // handle will do.)
  if (world == kNothing && comm.size > 1) world = index;
  uses.push_back({comm.handle, comm.rank, comm.size, line, line, continues});
  epoch_of_.push_back(epoch_);
  use_of_handle_.set(comm.handle, index);
  return index;
}

void CommLog::create(const Creation& creation) {
  creation_of_variable_.set(creation.variable, static_cast<std::uint32_t>(creations.size()));
  creations.push_back(creation);
}

void CommLog::free(std::uint64_t variable, std::uint32_t line, std::uint32_t event) {
  ++epoch_;
  if (first_free == kNever) first_free = line;
  const std::uint32_t made = creation_of_variable_.find(variable);
  const bool null = made != kNothing && creations[made].call == Call::Comm_split &&
                    creations[made].first < 0;  // so the program has put another handle there
  if (made == kNothing || null || creations[made].freed_line != kNever) {
    unknown_frees.push_back(line);
    return;
  }
  creations[made].freed_line = line;
  creations[made].free_event = event;
}

}  // namespace latitude::trace::infer
