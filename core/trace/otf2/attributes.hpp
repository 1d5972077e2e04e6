#pragma once

#include <string_view>

// What OTF2 has no field for stands in attributes of its events, which other readers show or pass
// over: written here, and read where they are there.

namespace latitude::trace::otf2 {

/// Of a call's Enter: the place it was called from, with its callers. CALLING_CONTEXT.
inline constexpr std::string_view kCallPath = "latitude.call_path";
/// Of a call's Enter: no execution graph has what it did (kUnsupported), as on an
/// inter-communicator. UINT8.
inline constexpr std::string_view kNotInGraphs = "latitude.not_in_graphs";
/// Of the MpiIsend of a persistent operation: the call that makes the same. STRING.
inline constexpr std::string_view kStarted = "latitude.started";
/// Of a collective's end: MPI_IN_PLACE was given. UINT8.
inline constexpr std::string_view kGivenInPlace = "latitude.in_place";
/// Of a reduction's end: the operation is the program's own. UINT8.
inline constexpr std::string_view kOwnOperation = "latitude.own_operation";
/// Of a reduction's or broadcast's end: bytes of one element. UINT64.
inline constexpr std::string_view kElementBytes = "latitude.element_bytes";
/// Of the end of a collective whose sums do not give them: Event::bytes. UINT64.
inline constexpr std::string_view kBytes = "latitude.bytes";
/// The same of its lists (trace::Lists), as numbers with spaces between. STRING.
inline constexpr std::string_view kLists = "latitude.lists";

inline constexpr std::string_view kAttributes[] = {
    kCallPath, kNotInGraphs, kStarted, kGivenInPlace, kOwnOperation, kElementBytes, kBytes, kLists};

/// Properties of a location: how often its process called what is not in the archive. Behind the
/// prefix the call's name. UINT64.
inline constexpr std::string_view kCalls = "latitude.calls.";

}  // namespace latitude::trace::otf2
