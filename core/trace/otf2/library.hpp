#pragma once

#include <string>

#include "core/trace/otf2/abi.hpp"

namespace latitude::trace::otf2 {

/// OTF2's C library, which is loaded for the first archive that is read or written, so that
/// Latitude runs without it.
struct Library {
#define LATITUDE_OTF2_DECLARE(result, name, parameters) result(*name) parameters = nullptr;
  LATITUDE_OTF2_FUNCTIONS(LATITUDE_OTF2_DECLARE)
#undef LATITUDE_OTF2_DECLARE
};

/// The library. If it is missing, InputError names the package to install.
const Library& library();

/// Loads the library from this file, if possible, before the system's: the extension module of
/// OTF2's Python package contains it. Call this before the first archive.
void use_package(const std::string& path);

}  // namespace latitude::trace::otf2
