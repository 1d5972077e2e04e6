#pragma once

#include <string>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace::native {

/// The call sites in the files of `latitude trace`, and their code files, without the events:
/// Trace::sites and Trace::modules. Files that break off give the part that they have. Throws
/// InputError.
Trace read_sites(const std::vector<std::string>& paths);

}  // namespace latitude::trace::native
