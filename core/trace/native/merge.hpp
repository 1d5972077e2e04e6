#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/native/rank_log.hpp"

namespace latitude::trace::native {

/// InputError unless all files belong to one run.
void check_one_run(const std::vector<RankLog>& logs);
/// InputError if a file has no proper end; the message names the ranks.
void refuse_incomplete(const std::vector<RankLog>& logs, bool may_be_cut);

/// By rank and index in the rank's file: the index in the numbering of all files.
using Numbers = std::vector<std::vector<std::uint32_t>>;

/// Gives the communicators of all files one numbering, Trace::communicators, and renumbers the
/// events. Leader and count identify a communicator across files; files that disagree about its
/// members do not belong together (InputError).
void merge_communicators(std::vector<RankLog>& logs, Trace& trace, unsigned threads);
/// Makes the numbering alone.
Numbers number_communicators(const std::vector<RankLog>& logs, Trace& trace);
/// Sets the new number in an event of the rank.
void renumber_communicators(std::span<const std::uint32_t> numbers, RankTrace& rank, Event& event);

/// Gives the modules and call sites of all files one numbering. An event whose site is in no module
/// gets no site.
void merge_sites(std::vector<RankLog>& logs, Trace& trace, unsigned threads);
/// Makes only the numbering; the logs' modules and sites are consumed.
Numbers number_sites(std::vector<RankLog>& logs, Trace& trace);

}  // namespace latitude::trace::native
