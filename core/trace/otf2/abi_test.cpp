// Compares Latitude's declarations of OTF2's library with the library's own headers: this file
// compiles only if they agree.
#include "core/trace/otf2/abi.hpp"

#include <otf2/otf2.h>

#include <type_traits>

// Outside of Latitude's namespace the names refer to the library's.
namespace {

#define LATITUDE_OTF2_SAME(name, type) static_assert(std::is_same_v<name, type>);
LATITUDE_OTF2_TYPES(LATITUDE_OTF2_SAME)

#define LATITUDE_OTF2_EQUAL(type, name, value) static_assert((name) == (value));
LATITUDE_OTF2_NUMBERS(LATITUDE_OTF2_EQUAL)

#define LATITUDE_OTF2_SAME_CALLBACK(name, parameters) \
  static_assert(std::is_same_v<name, OTF2_CallbackCode(*) parameters>);
LATITUDE_OTF2_CALLBACKS(LATITUDE_OTF2_SAME_CALLBACK)

#define LATITUDE_OTF2_SAME_FUNCTION(result, name, parameters) \
  static_assert(std::is_same_v<decltype(&name), result(*) parameters>);
LATITUDE_OTF2_FUNCTIONS(LATITUDE_OTF2_SAME_FUNCTION)

namespace own = latitude::trace::otf2;
static_assert(own::OTF2_SUCCESS == int{OTF2_SUCCESS});
static_assert(own::OTF2_ERROR_INVALID_ARGUMENT == int{OTF2_ERROR_INVALID_ARGUMENT});
static_assert(own::OTF2_CALLBACK_SUCCESS == int{OTF2_CALLBACK_SUCCESS});
static_assert(sizeof(own::OTF2_AttributeValue) == sizeof(OTF2_AttributeValue));
static_assert(sizeof(own::OTF2_ErrorCode) == sizeof(OTF2_ErrorCode));
static_assert(sizeof(own::OTF2_CallbackCode) == sizeof(OTF2_CallbackCode));
static_assert(std::is_same_v<OTF2_ErrorCallback,
                             OTF2_ErrorCode (*)(void*, const char*, std::uint64_t, const char*,
                                                OTF2_ErrorCode, const char*, va_list)>);
static_assert(
    std::is_same_v<decltype(OTF2_FlushCallbacks::otf2_pre_flush),
                   OTF2_FlushType (*)(void*, OTF2_FileType, OTF2_LocationRef, void*, bool)>);
static_assert(std::is_same_v<decltype(OTF2_FlushCallbacks::otf2_post_flush),
                             OTF2_TimeStamp (*)(void*, OTF2_FileType, OTF2_LocationRef)>);

}  // namespace
