#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// The clock that measures computation: the wall clock, or the CPU time of the thread (the only
/// meaningful one if ranks share cores). Automatic: CPU time in files that have it; the tracer
/// writes it if ranks outnumber cores. Recorded: the times of calls by the wall clock, including
/// the tracer's own time between calls, which serve to compare times of different ranks.
enum class Clock : std::uint8_t { automatic, wall, cpu, recorded };

/// The treatment of a killed job's trace: reject it, or keep the part of every rank that all ranks
/// together completed.
enum class Incomplete : std::uint8_t { refuse, cut };

/// Reads a trace by `latitude trace` (docs/internals/trace-format.md), one file per rank, in order,
/// by `threads` threads (0: one per core). Each file is open only while it is read. Throws
/// InputError.
Trace read_native(const std::vector<std::string>& paths, unsigned threads,
                  Clock clock = Clock::automatic, Incomplete incomplete = Incomplete::refuse);

/// Reads a trace whose files come from an archive.
class NativeLoader {
 public:
  /// `names[r]` is the name of rank r's file in messages.
  explicit NativeLoader(std::vector<std::string> names, Clock clock = Clock::automatic,
                        Incomplete incomplete = Incomplete::refuse);
  ~NativeLoader();
  NativeLoader(NativeLoader&&) noexcept;
  NativeLoader& operator=(NativeLoader&&) noexcept;

  /// Reads the whole file of a rank. Different threads may read different ranks at the same time.
  void read(std::size_t rank, std::span<const std::uint8_t> file);
  /// Call once, after all files have been read.
  Trace finish(unsigned threads = 1);

 private:
  struct State;
  friend Trace read_native(const std::vector<std::string>&, unsigned, Clock, Incomplete);
  std::unique_ptr<State> state_;
};

}  // namespace latitude::trace
