#pragma once

#include <functional>

#include "core/trace/liballprof/text_for_tests.hpp"

namespace latitude::trace {

using Group = std::vector<std::int32_t>;

/// One file per rank, each with the handle of the world in the form of Fortran or of C.
class Program {
 public:
  Program(int ranks, bool c) : files_(static_cast<std::size_t>(ranks)), c_(c) {
    each([&](int r) { call(r, "MPI_Comm_size", str(world(r), ":5")); });
  }
  int size() const { return static_cast<int>(files_.size()); }
  std::string world(int r) const { return comm(c_ ? pointer(r, 0) : 0, r, size()); }
  /// A handle other than the world's: `which` is a small integer.
  std::uint64_t handle(int r, int which) const {
    return c_ ? pointer(r, which) : static_cast<std::uint64_t>(which);
  }
  Program& each(const std::function<void(int)>& work) {
    for (int r = 0; r < size(); ++r) work(r);
    return *this;
  }
  Program& call(int r, const char* name, const std::string& fields) {
    files_[static_cast<std::size_t>(r)].add(name, fields);
    return *this;
  }
  Program& barrier(int r, int which, int rank, int size) {
    return call(r, "MPI_Barrier", comm(handle(r, which), rank, size));
  }
  Program& split(int r, int colour, int key, int variable = 700) {
    return call(r, "MPI_Comm_split", str(world(r), ':', colour, ':', key, ':', variable));
  }
  Program& dup(int r, int variable = 700) {
    return call(r, "MPI_Comm_dup", str(world(r), ':', variable));
  }
  Program& free(int r, int variable) { return call(r, "MPI_Comm_free", std::to_string(variable)); }

  Trace trace() const { return load(files_); }
  std::string error() const { return error_of(files_); }

 private:
  std::vector<File> files_;
  bool c_;
};

/// Group of the `n`-th event of `rank` that is a barrier.
inline Group barrier_group(const Trace& trace, std::size_t rank, int n = 0) {
  for (const Event& e : trace.ranks[rank].events) {
    if (e.call == Call::Barrier && n-- == 0) return trace.communicators[e.comm].group;
  }
  return {};
}

inline std::uint32_t barrier_comm(const Trace& trace, std::size_t rank, int n = 0) {
  for (const Event& e : trace.ranks[rank].events) {
    if (e.call == Call::Barrier && n-- == 0) return e.comm;
  }
  return ~0u;
}

}  // namespace latitude::trace
