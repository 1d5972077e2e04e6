#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// What computation is measured by: the wall clock, or the CPU time of the thread (where ranks
/// share cores, the only one that means anything). Automatic: CPU time in files that carry it,
/// which the tracer writes where ranks outnumber cores. Recorded: when calls were by the wall clock
/// with the tracer's own time between them, which is what times of different ranks are compared by.
enum class Clock : std::uint8_t { automatic, wall, cpu, recorded };

/// What to do with the trace of a job that was killed: refuse it, or keep of every rank what all
/// ranks together completed.
enum class Incomplete : std::uint8_t { refuse, cut };

/// Reads a trace by `latitude trace` (docs/internals/trace-format.md), a file per rank, in order,
/// by `threads` threads (0: one a core), each file open only while it is read. Throws InputError.
Trace read_native(const std::vector<std::string>& paths, unsigned threads,
                  Clock clock = Clock::automatic, Incomplete incomplete = Incomplete::refuse);

/// The same for files that come out of an archive.
class NativeLoader {
 public:
  /// `names[r]` is what messages call rank r's file.
  explicit NativeLoader(std::vector<std::string> names, Clock clock = Clock::automatic,
                        Incomplete incomplete = Incomplete::refuse);
  ~NativeLoader();
  NativeLoader(NativeLoader&&) noexcept;
  NativeLoader& operator=(NativeLoader&&) noexcept;

  /// The whole file of a rank. Different ranks may be read by different threads at the same time.
  void read(std::size_t rank, std::span<const std::uint8_t> file);
  /// All files have been read. Call once.
  Trace finish(unsigned threads = 1);

 private:
  struct State;
  friend Trace read_native(const std::vector<std::string>&, unsigned, Clock, Incomplete);
  std::unique_ptr<State> state_;
};

}  // namespace latitude::trace
