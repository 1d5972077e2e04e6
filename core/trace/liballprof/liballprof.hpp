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

/// Reads liballprof text traces, one file a rank in the order of ranks; the grammar and what can
/// be recovered are in docs/internals/formats.md. Ranks are read in parallel by `threads` threads
/// (0: one a CPU). With `leave_open` it may stay open which calls completed a request. Throws
/// InputError.
Trace read_liballprof(const std::vector<std::string>& paths, unsigned threads,
                      Mpi mpi = Mpi::detect, bool leave_open = false);

/// The same for text that comes from elsewhere, such as archives decompressed on the fly.
class LiballprofLoader {
 public:
  /// `names[r]` is what messages call rank r's file.
  explicit LiballprofLoader(std::vector<std::string> names, Mpi mpi = Mpi::detect,
                            bool leave_open = false);
  ~LiballprofLoader();
  LiballprofLoader(LiballprofLoader&&) noexcept;
  LiballprofLoader& operator=(LiballprofLoader&&) noexcept;

  /// The next bytes of a rank's file, cut anywhere. Different ranks may be fed by different
  /// threads at the same time.
  void feed(std::size_t rank, std::string_view bytes);
  /// Optional: about how many bytes a rank's file holds.
  void expect(std::size_t rank, std::uint64_t bytes);
  /// All files have ended. Call once.
  Trace finish(unsigned threads = 1);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace latitude::trace
