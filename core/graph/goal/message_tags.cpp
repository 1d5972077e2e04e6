#include "core/graph/goal/message_tags.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/goal/writing_order.hpp"
#include "core/trace/event.hpp"

namespace latitude::graph::goal {
namespace {

/// The properties by which MPI distinguishes two messages between the same ranks, and `lane`. Lane
/// 0 holds the messages received in sending order, the other lanes those that were overtaken.
struct Stream {
  std::uint32_t comm = trace::kWorld;
  bool collective = false;
  std::int32_t tag = 0;
  std::uint32_t lane = 0;

  bool operator==(const Stream&) const = default;
  bool keeps_tag() const {
    return comm == trace::kWorld && !collective && lane == 0 && tag != trace::kAnyTag;
  }
};

/// Splitmix64's finaliser: spreads the small differences of keys.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

struct HashStream {
  std::size_t operator()(const Stream& s) const {
    const auto tag = static_cast<std::uint32_t>(s.tag);
    return mix(mix((std::uint64_t{s.comm} << 32) | tag) + (std::uint64_t{s.lane} << 1) +
               (s.collective ? 1 : 0));
  }
};

struct HashNumber {
  std::size_t operator()(std::uint64_t x) const { return mix(x); }
};

Stream stream_of(const Graph& graph, const Vertex& send) {
  Stream stream{.tag = send.tag};
  if (send.origin == kNoOrigin) return stream;
  const CallRecord call = graph.calls[send.origin];
  const trace::CallClass c = trace::class_of(call.call);
  stream.comm = call.comm;
  stream.collective = c == trace::CallClass::collective || c == trace::CallClass::icollective ||
                      c == trace::CallClass::collective_init || c == trace::CallClass::comm_create;
  return stream;
}

class Streams {
 public:
  std::uint32_t id(const Stream& stream) {
    if (!streams_.empty() && stream == streams_[last_]) return last_;
    const auto next = static_cast<std::uint32_t>(streams_.size());
    const auto [found, is_new] = ids_.try_emplace(stream, next);
    if (is_new) streams_.push_back(stream);
    return last_ = found->second;
  }

  /// The GOAL tag of each id: the user's tags first, then the smallest free ones.
  std::vector<std::uint32_t> tags() const {
    std::unordered_set<std::uint32_t> taken;
    for (const Stream& stream : streams_) {
      if (stream.keeps_tag()) taken.insert(static_cast<std::uint32_t>(stream.tag));
    }
    std::vector<std::uint32_t> tags;
    tags.reserve(streams_.size());
    std::uint32_t free = 0;
    for (const Stream& stream : streams_) {
      if (stream.keeps_tag()) {
        tags.push_back(static_cast<std::uint32_t>(stream.tag));
        continue;
      }
      while (taken.contains(free)) ++free;
      tags.push_back(free++);
    }
    return tags;
  }

 private:
  std::unordered_map<Stream, std::uint32_t, HashStream> ids_;
  std::vector<Stream> streams_;
  std::uint32_t last_ = 0;
};

/// The last send that each lane of a (source, destination, stream) has delivered. First fit keeps
/// these sends falling from lane to lane, and uses as few lanes as possible.
class Lanes {
 public:
  std::uint32_t place(VertexId send) {
    const auto lane = std::ranges::partition_point(last_, [&](VertexId v) { return v > send; });
    const auto index = static_cast<std::uint32_t>(lane - last_.begin());
    if (lane == last_.end()) {
      last_.push_back(send);
    } else {
      *lane = send;
    }
    return index;
  }

 private:
  std::vector<VertexId> last_;
};

}  // namespace

std::vector<std::uint32_t> assign_tags(const Graph& graph, std::uint64_t eager_limit) {
  Streams streams;
  std::vector<std::uint32_t> tags(graph.vertices.size(), 0);  // at first the stream's id
  std::vector<Slot> order;
  std::unordered_map<std::uint64_t, Lanes, HashNumber> lanes;
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    writing_order(graph, rank, eager_limit, order);
    lanes.clear();
    for (const Slot& slot : order) {
      if (!slot.receives(graph)) continue;
      const VertexId send = graph.vertices[slot.vertex].partner;
      Stream stream = stream_of(graph, graph.vertices[send]);
      const std::uint32_t id = streams.id(stream);
      stream.lane = lanes[(std::uint64_t{graph.rank_of(send)} << 32) | id].place(send);
      tags[send] = stream.lane == 0 ? id : streams.id(stream);
    }
  }
  const std::vector<std::uint32_t> tag_of = streams.tags();
  for (VertexId v = 0; v < graph.vertices.size(); ++v) {
    if (graph.vertices[v].kind == Kind::send) tags[v] = tag_of[tags[v]];
  }
  return tags;
}

}  // namespace latitude::graph::goal
