#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace latitude::graph::nccl {

enum class Protocol : std::uint8_t { ll, ll128, simple };

/// Number of slots in a connection's buffer: a sender is at most this many steps ahead.
inline constexpr std::uint32_t kSlots = 8;

/// A rank of a tree has up to three children: two on other nodes, one on its own.
inline constexpr std::size_t kMostPeers = 3;
inline constexpr std::int32_t kNoPeer = -1;

/// The parameters of one collective. Ranks are ranks in the communicator; the ranks of a node are
/// consecutive.
struct Collective {
  Protocol protocol = Protocol::simple;
  std::uint32_t ranks = 2;
  std::uint32_t ranks_per_node = 1;
  std::uint32_t channels = 1;
  std::uint64_t bytes = 0;  ///< size of the larger of a rank's two buffers, as nccl-tests counts
  std::uint32_t root = 0;
};

/// Bytes on the wire for this much data: LL has 4 B of data in a line of 8 B, LL128 120 B in one of
/// 128 B.
std::uint64_t wire_bytes(Protocol protocol, std::uint64_t data);

/// One action of a group of threads. It waits for a slice from each of `from` and for a free slot
/// at each of `to`. Then it combines the received data with its own, passes the result on, and
/// frees its slots.
struct Primitive {
  std::array<std::int32_t, kMostPeers> from{kNoPeer, kNoPeer, kNoPeer};
  std::array<std::int32_t, kMostPeers> to{kNoPeer, kNoPeer, kNoPeer};
  std::uint64_t bytes = 0;  ///< bytes of data
  bool combines = false;
};

struct Cut;  // pieces.hpp

/// The primitives of one group of threads of a channel, one after the other. Two ranks, a channel
/// and a flow identify a connection.
struct Lane {
  std::uint32_t rank = 0;
  std::uint32_t channel = 0;
  std::uint8_t from_flow = 0;
  std::uint8_t to_flow = 0;
  std::uint32_t window = kSlots;  ///< slices that a sender may be ahead
  std::vector<Primitive> primitives{};

  /// Adds a primitive for each slice of a chunk; none for a chunk without data. InputError: too
  /// many primitives.
  void add(Primitive primitive, const Cut& cut);
};

/// Adds the lanes of one rank in one channel.
using Algorithm = void (*)(const Collective& collective, std::uint32_t rank, std::uint32_t channel,
                           std::vector<Lane>& lanes);

struct NamedAlgorithm {
  std::string_view name;
  Algorithm run;
};

struct NamedOperation {
  std::string_view name;
  std::span<const NamedAlgorithm* const> algorithms;  ///< the default first
};

/// All operations.
std::span<const NamedOperation> operations();

/// The names of the protocols, in the order of their enumerators.
std::span<const std::string_view> protocols();

/// By name. InputError lists the known names.
const NamedOperation& operation_named(std::string_view name);
const NamedAlgorithm& algorithm_named(const NamedOperation& operation, std::string_view name);
Protocol protocol_named(std::string_view name);

/// The lanes of all ranks and channels. InputError: they have too many primitives.
std::vector<Lane> lanes_of(const Collective& collective, const NamedAlgorithm& algorithm);

}  // namespace latitude::graph::nccl
