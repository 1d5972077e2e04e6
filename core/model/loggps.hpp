#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace latitude::model {

/// The rendezvous protocol of messages larger than S, which sets their cost
/// (docs/explanation/model.md).
enum class Rendezvous : std::uint8_t {
  handshake,  ///< RTS, RTR, data: three latencies
  put,        ///< RTS, RTR, data put, acknowledgement, FIN: five latencies
  get,        ///< RTS, data asked for and got, ATS to the sender
  llamp,      ///< the code of Shen et al. 2024
  sync,       ///< no handshake cost, the sender ends at the match (LogGOPSim)
};

/// Throws InputError with the list of names if `name` is not among them.
Rendezvous rendezvous_named(std::string_view name);
std::string_view name_of(Rendezvous rendezvous) noexcept;
std::vector<std::string_view> rendezvous_names();

/// A part of a rendezvous.
struct Stretch {
  std::uint8_t latencies = 0;
  std::uint8_t overheads = 0;
  std::uint8_t bodies = 0;  ///< number of times that the message's bytes are paid for
  /// The messages on the wire that make up the rendezvous are numbered from 0 in their order. A bit
  /// for each of these messages that a CPU posts in this part.
  std::uint8_t posted = 0;
};

/// A whole message on its way; an eager one has no other part.
inline constexpr Stretch kMessage{.latencies = 1, .overheads = 1, .bodies = 1, .posted = 1};

struct Protocol {
  Stretch request;  ///< from the start of the send to the match
  Stretch sender;   ///< from the match to the end of the send
  Stretch data;     ///< from the match until the data are at the receiver
  Stretch notice;   ///< from then until the receiver knows of them (its own o follows)
};

const Protocol& protocol_of(Rendezvous rendezvous) noexcept;

/// The ends that keep a rank's messages max(g, bytes · G) apart, in order;
/// docs/explanation/model.md.
enum class Gap : std::uint8_t {
  none,  ///< neither: messages leave and enter a rank at once
  send,  ///< the sender
  both,  ///< the sender, and the receiver as messages enter
};

/// Throws InputError with the list of the three names if `name` is not among them.
Gap gap_named(std::string_view name);
std::string_view name_of(Gap gap) noexcept;
std::vector<std::string_view> gap_names();

/// LogGOPS parameters of one link class (Shen et al. 2024, §II.A). Times in ns, sizes in bytes.
struct LogGPS {
  double L = 0;         ///< latency of a message, ns
  double o = 0;         ///< CPU overhead of a message at either end, ns
  double g = 0;         ///< least time between two messages of a rank, ns; `gap` names the ends
  double G = 0;         ///< time per byte on the wire, ns/byte
  double O = 0;         ///< CPU time per byte at either end, ns/byte
  std::uint64_t S = 0;  ///< largest message sent eagerly, bytes
  /// Largest message sent eagerly by MPI_Isend and similar calls, if they have another limit.
  std::optional<std::uint64_t> S_isend = std::nullopt;
  Rendezvous rendezvous = Rendezvous::handshake;
  Gap gap = Gap::none;
  double compute_scale = 1;  ///< factor on the computation in the graph

  /// Throws InputError if a parameter is negative or not finite, or if g is set without a gap.
  void check() const;

  /// Largest message sent eagerly, by MPI_Isend and similar calls or by others.
  std::uint64_t eager_limit(bool immediate) const noexcept {
    return immediate ? S_isend.value_or(S) : S;
  }
};

/// Bytes that pay G (and O): s − 1 (Shen et al. 2024, eq. 2), and none for an empty message.
inline double gap_bytes(std::int64_t size) noexcept {
  return static_cast<double>(std::max<std::int64_t>(0, size - 1));
}

/// The parameter that an analysis varies.
enum class Theta : std::uint8_t { L, G, o, g };

/// Throws InputError if `name` is not L, G, o or g.
Theta theta_named(std::string_view name);
std::string_view name_of(Theta theta) noexcept;
double value_of(const LogGPS& network, Theta theta) noexcept;

}  // namespace latitude::model
