#pragma once

#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// Gives the communicators of all files one numbering, Trace::communicators, and puts it into the
/// events. A communicator is known across files by its leader and count; files that disagree about
/// its members do not belong together (InputError).
void merge_communicators(std::vector<RankLog>& logs, Trace& trace, unsigned threads);

/// The same for modules and call sites. An event whose site lies in no module has none.
void merge_sites(std::vector<RankLog>& logs, Trace& trace, unsigned threads);

}  // namespace latitude::trace::native
