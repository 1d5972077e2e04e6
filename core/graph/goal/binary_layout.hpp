#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace latitude::graph::goal {

/// GOAL binary, as LogGOPSim's txt2bin writes it: little endian, no padding.
///
///   file    0        8          12       13       14
///           +--------+----------+--------+--------+----------------+---------+---------+--
///           | u64    | u32      | u8     | u8     | ranks × 16     | rank 0  | rank 1  | …
///           | magic  | ranks    | maxcpu | maxnic | extents        |         |         |
///           +--------+----------+--------+--------+----------------+---------+---------+--
///   extent  u64 begin, u64 end of a rank, counted from byte 8 of the file
///
///   rank    +-------+-------+-----------------+------------------+---------------------+
///           | u32   | u32   | roots × u32     | nodes × 39       | appendix: u32 each  |
///           | nodes | roots | nodes without   | in index order   | successors of the   |
///           |       |       | predecessors    |                  | nodes               |
///           +-------+-------+-----------------+------------------+---------------------+
///
///   node    0        4    5      9      17    21    22    23       27      31        35      39
///           +--------+----+------+------+-----+-----+-----+--------+-------+---------+-------+
///           | u32    | u8 | u32  | u64  | u32 | u8  | u8  | u32    | u32   | u32     | u32   |
///           | prede- |type| peer | size | tag | cpu | nic | requi- | first | irequi- | first |
///           | cessors|    |      |      |     |     |     | red by |       | red by  |       |
///           +--------+----+------+------+-----+-----+-----+--------+-------+---------+-------+
///           type: 1 send, 2 recv, 3 calc (size: its ns). `first` is the index of the first
///           successor in the rank's appendix; without successors it means nothing. Peer and tag:
///           all ones is a wildcard.
inline constexpr std::uint64_t kMagic = 4223;
inline constexpr std::uint64_t kSpentMagic = 2342;  // LogGOPSim --save-mem overwrote the schedule
inline constexpr std::size_t kOffsetBase = 8;
inline constexpr std::size_t kHeaderBytes = 14;
inline constexpr std::size_t kExtentBytes = 16;
inline constexpr std::size_t kRankHeaderBytes = 8;
inline constexpr std::size_t kEntryBytes = 4;
inline constexpr std::size_t kNodeBytes = 39;

inline constexpr std::uint32_t kMostInBinary = 255;  // number of a cpu or nic

enum class NodeType : std::uint8_t { send = 1, recv = 2, calc = 3 };

struct Node {
  std::uint32_t predecessors;
  std::uint8_t type;  // a NodeType, if the file is right
  std::uint32_t peer;
  std::uint64_t size;
  std::uint32_t tag;
  std::uint8_t cpu;
  std::uint8_t nic;
  std::uint32_t required_by;
  std::uint32_t first_required_by;
  std::uint32_t irequired_by;
  std::uint32_t first_irequired_by;

  /// Calls `field` on every field, in the file's order.
  template <class Self, class Field>
  static void each(Self& node, Field field) {
    field(node.predecessors);
    field(node.type);
    field(node.peer);
    field(node.size);
    field(node.tag);
    field(node.cpu);
    field(node.nic);
    field(node.required_by);
    field(node.first_required_by);
    field(node.irequired_by);
    field(node.first_irequired_by);
  }
};

template <std::unsigned_integral T>
T load(const std::byte* at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(at[i]) << (8 * i)));
  }
  return value;
}

template <std::unsigned_integral T>
void append(std::string& to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
  }
}

inline Node load_node(const std::byte* at) {
  Node node;
  Node::each(node, [&](auto& field) {
    field = load<std::remove_reference_t<decltype(field)>>(at);
    at += sizeof field;
  });
  return node;
}

inline void append_node(std::string& to, const Node& node) {
  Node::each(node, [&](const auto& field) { append(to, field); });
}

}  // namespace latitude::graph::goal
