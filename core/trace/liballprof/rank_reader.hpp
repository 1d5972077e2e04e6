#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/infer/rank_log.hpp"
#include "core/trace/liballprof/record.hpp"
#include "core/trace/line_buffer.hpp"

namespace latitude::trace::liballprof {

/// Turns one rank's text, in chunks of any size, into events.
class RankReader {
 public:
  explicit RankReader(std::string source);

  void feed(std::string_view bytes);
  /// Call at the end of the file, which must be complete.
  void finish();
  /// Hint: the text has about this many bytes.
  void expect(std::uint64_t bytes);

  infer::RankLog& log() noexcept { return log_; }

 private:
  enum class Phase : std::uint8_t { before_init, running, finalized };

  void line(const char* begin, const char* end);
  void times(const Record& record);
  void event(const Record& record);
  void requests(const Record& record, Event& event);
  [[noreturn]] void fail(const CallSyntax* syntax, std::string_view text) const;

  infer::RankLog log_;
  LineBuffer lines_;
  Record record_;
  std::vector<std::uint64_t> counts_;  ///< by row of grammar.def
  std::uint64_t line_ = 0;
  std::int64_t now_ns_ = 0;  ///< time at which the last call returned
  Phase phase_ = Phase::before_init;
};

}  // namespace latitude::trace::liballprof
