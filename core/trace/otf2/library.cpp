#include "core/trace/otf2/library.hpp"

#include <dlfcn.h>

#include <string>

#include "core/error.hpp"

namespace latitude::trace::otf2 {
namespace {

/// A library whose messages go to whoever called it, and not to the terminal.
OTF2_ErrorCode silent(void* /*user*/, const char* /*file*/, std::uint64_t /*line*/,
                      const char* /*function*/, OTF2_ErrorCode code, const char* /*format*/,
                      va_list /*arguments*/) {
  return code;
}

Library load() {
  void* handle = nullptr;
  for (const char* name : {LATITUDE_OTF2_SONAME, LATITUDE_OTF2_PATH}) {
    handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
  }
  if (handle == nullptr) {
    throw InputError(
        "OTF2 needs its C library, " LATITUDE_OTF2_SONAME
        ", which is not installed (Debian: libopen-trace-format2-10; elsewhere: otf2)");
  }
  Library library;
  const auto find = [&](const char* name) {
    void* const symbol = dlsym(handle, name);
    if (symbol == nullptr) {
      throw InputError(std::string(LATITUDE_OTF2_SONAME " is not the one that Latitude was built "
                                                        "with: it lacks ") +
                       name);
    }
    return symbol;
  };
#define LATITUDE_OTF2_FIND(name) \
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

}  // namespace latitude::trace::otf2
