#include "core/graph/nccl/collective.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/graph/nccl/pieces.hpp"

namespace latitude::graph::nccl {
namespace {

constexpr std::uint64_t operator""_KiB(unsigned long long size) { return size << 10; }

/// Bytes of data in a protocol's slot. On the wire a slot of LL has 64 KiB, and one of LL128
/// 614,400 B.
constexpr std::uint64_t kSlotLl = 32_KiB, kSlotLl128 = 576'000, kSlotSimple = 512_KiB;

/// A collective's lanes take 40 bytes per primitive, and become two or three operations each.
constexpr std::size_t kMostPrimitives = std::size_t{1} << 21;

constexpr std::string_view kProtocols[] = {"ll", "ll128", "simple"};

constexpr const NamedAlgorithm* kAllReduce[] = {&kRingAllReduce, &kTreeAllReduce};
constexpr const NamedAlgorithm* kAllGather[] = {&kRingAllGather, &kPatAllGather};
constexpr const NamedAlgorithm* kReduceScatter[] = {&kRingReduceScatter, &kPatReduceScatter};
constexpr const NamedAlgorithm* kBroadcast[] = {&kRingBroadcast};
constexpr const NamedAlgorithm* kReduce[] = {&kRingReduce};
constexpr const NamedAlgorithm* kAllToAll[] = {&kPairwiseAllToAll};
constexpr const NamedAlgorithm* kSendRecv[] = {&kPairwiseSendRecv};
constexpr const NamedAlgorithm* kSend[] = {&kPairwiseSend};

constexpr NamedOperation kOperations[] = {
    {"allreduce", kAllReduce}, {"allgather", kAllGather}, {"reducescatter", kReduceScatter},
    {"broadcast", kBroadcast}, {"reduce", kReduce},       {"alltoall", kAllToAll},
    {"sendrecv", kSendRecv},   {"send", kSend},
};

/// "ring, tree"
template <class Names, class Name>
std::string listed(const Names& names, Name name_of) {
  std::string list;
  for (const auto& each : names) {
    if (!list.empty()) list += ", ";
    list += name_of(each);
  }
  return list;
}

void refuse_beyond(std::size_t primitives) {
  if (primitives <= kMostPrimitives) return;
  throw InputError("one collective becomes more than " + std::to_string(kMostPrimitives) +
                   " steps; take fewer bytes, ranks or channels, or the protocol simple");
}

}  // namespace

Cut cut_of(Protocol protocol, bool pipelined) {
  switch (protocol) {
    case Protocol::ll:
      return {.chunk = kSlotLl, .slice = kSlotLl};
    case Protocol::ll128:
      return {.chunk = kSlotLl128, .slice = kSlotLl128};
    case Protocol::simple:
      break;
  }
  if (!pipelined) return {.chunk = kSlotSimple, .slice = kSlotSimple};
  return {.chunk = 4 * kSlotSimple, .slice = 2 * kSlotSimple, .slices = 2, .steps = 2};
}

Cut tree_cut(const Collective& c) {
  Cut cut = cut_of(c.protocol);
  if (c.protocol != Protocol::ll128) return cut;
  const double per_node = std::min(c.ranks, c.ranks_per_node);
  const auto nodes = static_cast<std::uint32_t>(divided_up(c.ranks, c.ranks_per_node));
  const double steps = std::bit_width(nodes) + 0.1 * per_node;
  const auto shrink = [&](double loops, std::uint64_t least) {
    while (static_cast<double>(c.bytes / (c.channels * cut.chunk)) < steps * loops / per_node &&
           cut.chunk > least) {
      cut.chunk /= 2;
    }
  };
  shrink(64, 128_KiB);
  shrink(16, 32_KiB);
  cut.slice = cut.chunk;
  return cut;
}

std::uint64_t wire_bytes(Protocol protocol, std::uint64_t data) {
  switch (protocol) {
    case Protocol::ll:
      return divided_up(data, 4) * 8;
    case Protocol::ll128:
      return divided_up(data, 120) * 128;
    case Protocol::simple:
      break;
  }
  return data;
}

void Lane::add(Primitive primitive, const Cut& cut) {
  window = kSlots / cut.steps;
  // A slice is half of its chunk, but at least a 32nd of a whole one.
  const std::uint64_t slice =
      std::max(aligned_up(divided_up(primitive.bytes, cut.slices)), cut.slice / 32);
  for_each_chunk(primitive.bytes, slice, [&](std::uint64_t bytes) {
    primitive.bytes = bytes;
    primitives.push_back(primitive);
    refuse_beyond(primitives.size());
  });
}

std::span<const NamedOperation> operations() { return kOperations; }

std::span<const std::string_view> protocols() { return kProtocols; }

const NamedOperation& operation_named(std::string_view name) {
  for (const NamedOperation& operation : kOperations) {
    if (operation.name == name) return operation;
  }
  throw InputError("NCCL has no collective '" + std::string(name) + "'; there are " +
                   listed(kOperations, [](const NamedOperation& each) { return each.name; }));
}

const NamedAlgorithm& algorithm_named(const NamedOperation& operation, std::string_view name) {
  for (const NamedAlgorithm* algorithm : operation.algorithms) {
    if (algorithm->name == name) return *algorithm;
  }
  throw InputError(
      std::string(operation.name) + " has no algorithm '" + std::string(name) + "'; it has " +
      listed(operation.algorithms, [](const NamedAlgorithm* each) { return each->name; }));
}

Protocol protocol_named(std::string_view name) {
  const auto* found = std::ranges::find(kProtocols, name);
  if (found == std::end(kProtocols)) {
    throw InputError("NCCL has no protocol '" + std::string(name) + "'; there are " +
                     listed(kProtocols, [](std::string_view each) { return each; }));
  }
  return static_cast<Protocol>(found - kProtocols);
}

std::vector<Lane> lanes_of(const Collective& collective, const NamedAlgorithm& algorithm) {
  std::vector<Lane> lanes;
  std::size_t counted = 0;
  std::size_t primitives = 0;
  for (std::uint32_t channel = 0; channel < collective.channels; ++channel) {
    for (std::uint32_t rank = 0; rank < collective.ranks; ++rank) {
      algorithm.run(collective, rank, channel, lanes);
      for (; counted < lanes.size(); ++counted) primitives += lanes[counted].primitives.size();
      refuse_beyond(primitives);
    }
  }
  return lanes;
}

}  // namespace latitude::graph::nccl
