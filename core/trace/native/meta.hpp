#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace latitude::trace::native {

/// The members of a meta chunk that the reader uses.
struct Meta {
  std::int64_t null_gap_ns = 0;      ///< tracer's part of a gap by the wall clock
  std::int64_t null_cpu_gap_ns = 0;  ///< tracer's part of a gap by thread CPU time
  std::int64_t null_call_ns = 0;     ///< tracer's part of each call's duration by the wall clock
  std::int64_t cores = 0;            ///< 0: unknown
  std::int64_t ranks_on_host = 0;    ///< 0: unknown
  std::string host;
};

/// The members of one JSON object; unknown ones are skipped. std::nullopt if the text is not a JSON
/// object, or if a member in use has an invalid value.
std::optional<Meta> parse_meta(std::string_view json);

}  // namespace latitude::trace::native
