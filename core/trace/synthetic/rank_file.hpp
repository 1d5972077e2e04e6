#pragma once

#include <cstdint>
#include <string>

#include "core/trace/native/encoder.hpp"
#include "core/trace/synthetic/program.hpp"

namespace latitude::trace::synthetic {

/// A rank's file (version 1 of docs/internals/trace-format.md), one piece at a time: the memory
/// does not depend on the number of steps.
class RankFile {
 public:
  /// `meta` is the JSON of the meta chunk.
  RankFile(const Program& program, std::uint32_t rank, std::string meta);

  /// The next piece of the file, at most about a MiB; empty at its end.
  std::string next();

  /// Duration of every call: its own cost, without any wait.
  static constexpr std::uint64_t kCallNs = 100;

 private:
  std::string beginning();
  std::string steps();
  std::string ending();
  std::string chunk(native::ChunkKind kind, std::uint32_t records, const native::Encoder& payload,
                    std::uint64_t time = 0);
  /// Encodes one step, whose requests are numbered from `made_` on; `last` is the last request
  /// number of the chunk.
  void encode(native::Encoder& out, std::uint64_t& last, std::uint64_t carried_ns);

  Program program_;
  std::uint32_t rank_;
  std::string meta_;
  Step step_;
  std::uint64_t step_ns_ = 0;
  std::uint64_t requests_per_step_ = 0;
  enum class Stage : std::uint8_t { begin, steps, end, over } stage_ = Stage::begin;
  std::uint64_t done_ = 0;  ///< steps so far
  std::uint64_t made_ = 0;  ///< requests so far
  std::uint64_t now_ns_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace latitude::trace::synthetic
