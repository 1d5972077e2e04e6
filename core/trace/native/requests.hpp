#pragma once

#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// Request numbers become event indices, and what completions report becomes the peer and tag of
/// the receives they complete. Throws InputError.
void resolve_requests(RankLog& log);

}  // namespace latitude::trace::native
