#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/format.hpp"

namespace latitude::trace {

/// The rank that a file's name ends in, before suffixes: pmpi-trace-rank-3.txt.gz → 3. std::nullopt
/// where it ends in none, and of hidden files.
std::optional<std::uint32_t> rank_of(std::string_view file);

/// For formats with one file per rank: those files of a place whose names end in a rank, rank 0
/// first. InputError where a rank is missing or there twice.
std::vector<std::string> numbered_files(const Place& place);

}  // namespace latitude::trace
