#include "core/trace/otf2/library.hpp"

#include <dlfcn.h>

#include <string>
#include <vector>

#include "core/error.hpp"

namespace latitude::trace::otf2 {
namespace {

/// The library's name contains the number of its interface, which versions 3.0 to 3.2 share.
constexpr const char* kDebiansName = "libopen-trace-format2.so.10";  // Debian's
constexpr const char* kOwnName = "libotf2.so.10";                    // as OTF2 itself installs it

std::string& package() {
  static std::string path;
  return path;
}

/// A library that passes its messages to the caller, and not to the terminal.
OTF2_ErrorCode silent(void* /*user*/, const char* /*file*/, std::uint64_t /*line*/,
                      const char* /*function*/, OTF2_ErrorCode code, const char* /*format*/,
                      va_list /*arguments*/) {
  return code;
}

Library load() {
  std::vector<std::string> names;
  if (!package().empty()) names.push_back(package());
  names.insert(names.end(), {kDebiansName, kOwnName});
  void* handle = nullptr;
  std::string loaded;
  for (const std::string& name : names) {
    handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    loaded = name;
    if (handle != nullptr) break;
  }
  if (handle == nullptr) {
    throw InputError(
        "OTF2 needs its C library, version 3, which is not installed (pip install otf2; Debian: "
        "libopen-trace-format2-10)");
  }
  Library library;
  const auto find = [&](const char* name) {
    void* const symbol = dlsym(handle, name);
    if (symbol == nullptr) {
      throw InputError(loaded + " is not version 3 of OTF2's C library: it lacks " + name);
    }
    return symbol;
  };
#define LATITUDE_OTF2_FIND(result, name, parameters) \
  library.name = reinterpret_cast<decltype(library.name)>(find(#name));
  LATITUDE_OTF2_FUNCTIONS(LATITUDE_OTF2_FIND)
#undef LATITUDE_OTF2_FIND
  library.OTF2_Error_RegisterCallback(silent, nullptr);
  return library;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

void use_package(const std::string& path) { package() = path; }

}  // namespace latitude::trace::otf2
