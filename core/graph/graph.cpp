#include "core/graph/graph.hpp"

#include <algorithm>
#include <array>

namespace latitude::graph {

std::string_view name_of(Resource::Kind kind) noexcept {
  static constexpr std::array<std::string_view, static_cast<std::size_t>(Resource::Kind::count_)>
      kNames{"cpu", "thread", "stream", "nic"};
  return kNames[static_cast<std::size_t>(kind)];
}

Numbering numbering(std::span<const Unit> units, Resource Unit::* resource) {
  std::vector<Resource> found;
  for (const Unit& unit : units) found.push_back(unit.*resource);
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  Numbering result;
  result.count = static_cast<std::uint32_t>(found.size());
  for (const Unit& unit : units) {
    const auto at = std::ranges::lower_bound(found, unit.*resource);
    result.of_unit.push_back(static_cast<std::uint32_t>(at - found.begin()));
  }
  return result;
}

constexpr std::size_t kRecent = 256;

void CallTable::push_back(const CallRecord& call) {
  const auto alike = [&](const CallRecord& kind) {
    return kind.comm == call.comm && kind.site == call.site && kind.call == call.call;
  };
  const std::size_t at = call.site * 31U + call.comm * 7U + static_cast<std::size_t>(call.call);
  if (recent_.empty()) recent_.resize(kRecent);
  std::uint32_t& kind = recent_[at % kRecent];
  if (kind >= kinds_.size() || !alike(kinds_[kind])) {
    const auto [known, is_new] = number_of_.try_emplace({call.comm, call.site, call.call},
                                                        static_cast<std::uint32_t>(kinds_.size()));
    if (is_new) kinds_.push_back({call.comm, 0, call.call, call.site});
    kind = known->second;
  }
  kind_.push_back(kind);
  position_.push_back(call.position);
}

std::uint32_t Graph::rank_of(VertexId v) const noexcept {
  const auto after = std::ranges::upper_bound(rank_begin, v);
  return static_cast<std::uint32_t>(after - rank_begin.begin() - 1);
}

std::uint64_t Graph::messages() const noexcept {
  return static_cast<std::uint64_t>(
      std::ranges::count(vertices, Kind::send, [](const Vertex& v) { return v.kind; }));
}

std::uint64_t Graph::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Vertex& v : vertices) {
    if (v.kind == Kind::send) sum += static_cast<std::uint64_t>(v.value);
  }
  return sum;
}

std::uint64_t Graph::edges() const noexcept {
  const auto chained = std::ranges::count_if(vertices, [](const Vertex& v) { return v.chained; });
  return static_cast<std::uint64_t>(chained) + deps.size() + messages();
}

std::vector<Received> received_by_communicator(const Graph& graph) {
  const std::size_t none = graph.communicators.size();
  std::vector<Received> received(none + 1);
  for (const Vertex& vertex : graph.vertices) {
    if (vertex.kind != Kind::recv) continue;
    std::size_t own = none;
    if (vertex.origin != kNoOrigin)
      own = std::min<std::size_t>(graph.calls.shared(vertex.origin).comm, none);
    ++received[own].messages;
    received[own].bytes += static_cast<std::uint64_t>(vertex.value);
  }
  return received;
}

}  // namespace latitude::graph
