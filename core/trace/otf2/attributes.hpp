#pragma once

#include <string_view>

// Facts for which OTF2 has no field are in attributes of its events, which other readers show or
// skip: written here, and read if present.

namespace latitude::trace::otf2 {

/// On a call's Enter: the place of the call, with its callers. CALLING_CONTEXT.
inline constexpr std::string_view kCallPath = "latitude.call_path";
/// On a call's Enter: no execution graph has the call's effect (kUnsupported), such as a call on an
/// inter-communicator. UINT8.
inline constexpr std::string_view kNotInGraphs = "latitude.not_in_graphs";
/// On the MpiIsend of a persistent operation: the call with the same effect. STRING.
inline constexpr std::string_view kStarted = "latitude.started";
/// On a collective's end: MPI_IN_PLACE was given. UINT8.
inline constexpr std::string_view kGivenInPlace = "latitude.in_place";
/// On a reduction's end: the operation is user-defined. UINT8.
inline constexpr std::string_view kOwnOperation = "latitude.own_operation";
/// On a reduction's or broadcast's end: bytes of one element. UINT64.
inline constexpr std::string_view kElementBytes = "latitude.element_bytes";
/// On the end of a collective whose sums do not give Event::bytes: Event::bytes. UINT64.
inline constexpr std::string_view kBytes = "latitude.bytes";
/// On such an end: the collective's lists (trace::Lists), as numbers separated by spaces. STRING.
inline constexpr std::string_view kLists = "latitude.lists";

inline constexpr std::string_view kAttributes[] = {
    kCallPath, kNotInGraphs, kStarted, kGivenInPlace, kOwnOperation, kElementBytes, kBytes, kLists};

/// Properties of a location: number of the process's calls that are not in the archive. The call's
/// name follows the prefix. UINT64.
inline constexpr std::string_view kCalls = "latitude.calls.";

}  // namespace latitude::trace::otf2
