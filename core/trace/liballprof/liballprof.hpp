#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/infer/normalise.hpp"

namespace latitude::trace {

using infer::Mpi;

/// Reads liballprof text traces, one file per rank in the order of ranks; docs/internals/formats.md
/// has the grammar and the deductions. `threads` threads read ranks in parallel (0: one per CPU).
/// With `leave_open` the call that completed a request may stay open. Throws InputError.
Trace read_liballprof(const std::vector<std::string>& paths, unsigned threads,
                      Mpi mpi = Mpi::detect, bool leave_open = false);

/// Reads text from elsewhere, such as archives that are decompressed while they are read.
class LiballprofLoader {
 public:
  /// `names[r]` is the name of rank r's file in messages.
  explicit LiballprofLoader(std::vector<std::string> names, Mpi mpi = Mpi::detect,
                            bool leave_open = false);
  ~LiballprofLoader();
  LiballprofLoader(LiballprofLoader&&) noexcept;
  LiballprofLoader& operator=(LiballprofLoader&&) noexcept;

  /// Reads the next bytes of a rank's file, cut anywhere. Different threads may feed different
  /// ranks at the same time.
  void feed(std::size_t rank, std::string_view bytes);
  /// Optional: approximate size of a rank's file in bytes.
  void expect(std::size_t rank, std::uint64_t bytes);
  /// Call once, after the end of all files.
  Trace finish(unsigned threads = 1);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace latitude::trace
