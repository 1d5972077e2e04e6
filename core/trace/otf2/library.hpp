#pragma once

#include <string>

#include "core/trace/otf2/abi.hpp"

namespace latitude::trace::otf2 {

/// OTF2's C library, which is loaded when the first archive is read or written, so that Latitude
/// runs without it.
struct Library {
#define LATITUDE_OTF2_DECLARE(result, name, parameters) result(*name) parameters = nullptr;
  LATITUDE_OTF2_FUNCTIONS(LATITUDE_OTF2_DECLARE)
#undef LATITUDE_OTF2_DECLARE
};

/// The library. InputError says what to install where it is missing.
const Library& library();

/// Takes the library from this file, where it can be loaded, before the system's: the extension
/// module of OTF2's Python package has it inside. Call it before the first archive.
void use_package(const std::string& path);

}  // namespace latitude::trace::otf2
