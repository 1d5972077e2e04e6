#pragma once

#include <cstdint>

#include "core/model/loggps.hpp"

namespace latitude::model {

/// An S that no test's message exceeds.
inline constexpr std::uint64_t kEager = 1 << 30;

/// All rendezvous protocols.
inline constexpr Rendezvous kReadings[] = {Rendezvous::handshake, Rendezvous::put, Rendezvous::get,
                                           Rendezvous::llamp, Rendezvous::sync};

}  // namespace latitude::model
