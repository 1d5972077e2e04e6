#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/liballprof/comm_log.hpp"
#include "core/trace/liballprof/line_buffer.hpp"
#include "core/trace/liballprof/record.hpp"
#include "core/trace/liballprof/request_log.hpp"

namespace latitude::trace::liballprof {

/// Everything one file says, before the files are put together. In `trace.events`:
///   comm  index into comms.uses (kNothing where the call needs no communicator)
///   peer  as printed
///   args  of calls that post, start, free or complete one request: its id in `requests`
struct RankLog {
  RankTrace trace;
  CommLog comms;
  RequestLog requests;
};

/// Turns one rank's text, in chunks of any size, into events.
class RankReader {
 public:
  explicit RankReader(std::string source);

  void feed(std::string_view bytes);
  /// The file ends here; it must be a whole one.
  void finish();
  /// Expect about this many bytes of text.
  void expect(std::uint64_t bytes);

  RankLog& log() noexcept { return log_; }

 private:
  enum class Phase : std::uint8_t { before_init, running, finalized };

  void line(const char* begin, const char* end);
  void times(const Record& record);
  void event(const Record& record);
  void convert(const Record& record, Event& event);
  void requests(const Record& record, Event& event);
  [[noreturn]] void fail(const CallSyntax* syntax, std::string_view text) const;

  RankLog log_;
  LineBuffer lines_;
  Record record_;
  std::vector<std::uint64_t> counts_;  ///< by row of grammar.def
  std::uint64_t line_ = 0;
  std::int64_t now_ns_ = 0;  ///< when the last call returned
  Phase phase_ = Phase::before_init;
};

}  // namespace latitude::trace::liballprof
