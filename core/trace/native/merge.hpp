#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// InputError unless all files are of one run.
void check_one_run(const std::vector<RankLog>& logs);
/// InputError where a file has no proper end; the message names the ranks.
void refuse_incomplete(const std::vector<RankLog>& logs, bool may_be_cut);

/// By rank, what each index that its file gives is among those of all files.
using Numbers = std::vector<std::vector<std::uint32_t>>;

/// Gives the communicators of all files one numbering, Trace::communicators, and puts it into the
/// events. A communicator is known across files by its leader and count; files that disagree about
/// its members do not belong together (InputError).
void merge_communicators(std::vector<RankLog>& logs, Trace& trace, unsigned threads);
/// The numbering alone.
Numbers number_communicators(const std::vector<RankLog>& logs, Trace& trace);
/// Puts it into an event of the rank.
void renumber_communicators(std::span<const std::uint32_t> numbers, RankTrace& rank, Event& event);

/// The same for modules and call sites. An event whose site lies in no module has none.
void merge_sites(std::vector<RankLog>& logs, Trace& trace, unsigned threads);
/// The numbering alone; the logs' modules and sites are given up.
Numbers number_sites(std::vector<RankLog>& logs, Trace& trace);

}  // namespace latitude::trace::native
