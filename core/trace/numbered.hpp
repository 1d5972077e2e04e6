#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/format.hpp"

namespace latitude::trace {

/// The rank at the end of a file's name, before suffixes: pmpi-trace-rank-3.txt.gz → 3.
/// std::nullopt for other names, and for hidden files.
std::optional<std::uint32_t> rank_of(std::string_view file);

/// For formats with one file per rank: the files at a path whose names end in a rank, rank 0 first.
/// InputError if a rank is missing or occurs twice.
std::vector<std::string> numbered_files(const Place& place);

}  // namespace latitude::trace
