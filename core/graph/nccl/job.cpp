#include "core/graph/nccl/job.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "core/error.hpp"

namespace latitude::graph::nccl {

Job::Job(std::uint32_t ranks, std::uint32_t streams, std::uint32_t nics, double combine_ns_per_byte)
    : ranks_(ranks), nics_(nics), combine_ns_per_byte_(combine_ns_per_byte), cpus_(streams) {
  for (Rank& rank : ranks_) rank.ends.resize(streams);
  unit_of_.emplace(0, 0);
}

std::uint32_t Job::add(std::uint32_t rank, const Vertex& vertex,
                       std::span<const std::uint32_t> deps) {
  Rank& to = ranks_[rank];
  const auto number = static_cast<std::uint32_t>(to.vertices.size());
  to.vertices.push_back(vertex);
  to.deps.insert(to.deps.end(), deps.begin(), deps.end());
  to.dep_end.push_back(static_cast<std::uint32_t>(to.deps.size()));
  if (++operations_ >= kNoVertex) {
    throw InputError("the job has more than " + std::to_string(kNoVertex) +
                     " operations; take fewer ranks, layers or bytes");
  }
  return number;
}

std::uint32_t Job::unit_of(std::uint32_t cpu, std::uint32_t nic) {
  const auto next = static_cast<std::uint32_t>(units_.size());
  const auto [known, is_new] = unit_of_.try_emplace(std::uint64_t{cpu} << 32 | nic, next);
  if (is_new) {
    units_.push_back({.line = {.kind = Resource::Kind::stream, .number = cpu},
                      .nic = {.kind = Resource::Kind::nic, .number = nic}});
  }
  return known->second;
}

std::uint32_t Job::cpu_of(std::uint32_t stream, std::uint32_t channel, std::uint8_t group) {
  const std::uint64_t key = (std::uint64_t{stream} << 32 | channel) << 8 | group;
  const auto [known, is_new] = cpu_of_.try_emplace(key, cpus_);
  if (is_new) ++cpus_;
  return known->second;
}

void Job::compute(std::uint32_t rank, std::uint32_t stream, std::int64_t ns) {
  std::vector<std::uint32_t>& ends = ranks_[rank].ends[stream];
  ends = {add(rank, {.value = ns, .unit = unit_of(stream, 0) & (kMostUnits - 1)}, ends)};
}

std::uint32_t Job::record(std::uint32_t rank, std::uint32_t stream) {
  ranks_[rank].events.push_back(ranks_[rank].ends[stream]);
  return static_cast<std::uint32_t>(ranks_[rank].events.size() - 1);
}

void Job::wait(std::uint32_t rank, std::uint32_t stream, std::uint32_t event) {
  std::vector<std::uint32_t>& ends = ranks_[rank].ends[stream];
  for (const std::uint32_t end : ranks_[rank].events[event]) {
    if (std::ranges::find(ends, end) == ends.end()) ends.push_back(end);
  }
}

std::span<const std::uint32_t> Job::joined(std::uint32_t rank, std::uint32_t stream,
                                           std::int64_t ns) {
  if (ns > 0 || ranks_[rank].ends[stream].size() > 1) compute(rank, stream, ns);
  return ranks_[rank].ends[stream];
}

/// Runs the lanes of one collective, one primitive of each in turn, until slices or slots are
/// missing.
class Job::Player {
 public:
  Player(Job& job, std::span<const std::uint32_t> members, std::uint32_t stream,
         const Collective& collective, std::vector<Lane> lanes, const Ends& starts)
      : job_(job),
        members_(members),
        protocol_(collective.protocol),
        lanes_(std::move(lanes)),
        states_(lanes_.size()),
        starts_(starts) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const Lane& lane = lanes_[i];
      // A rank's two groups of threads of a channel follow each other.
      const bool second =
          i > 0 && lanes_[i - 1].rank == lane.rank && lanes_[i - 1].channel == lane.channel;
      states_[i].unit =
          job.unit_of(job.cpu_of(stream, lane.channel, second ? 1 : 0), lane.channel % job.nics_);
      for (const Primitive& primitive : lane.primitives) {
        for (const std::int32_t to : primitive.to) {
          if (to != kNoPeer) ++outgoing(lane, to).slices;
        }
      }
    }
  }

  /// Returns the last operations of each member's lanes.
  Ends run() {
    for (std::size_t left = lanes_.size(); left > 0;) {
      left = 0;
      bool moved = false;
      for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const Lane& lane = lanes_[i];
        State& state = states_[i];
        if (state.next == lane.primitives.size()) continue;
        if (ready(lane, lane.primitives[state.next])) {
          play(lane, state, lane.primitives[state.next++]);
          moved = true;
        }
        if (state.next < lane.primitives.size()) ++left;
      }
      if (!moved && left > 0) throw std::logic_error("a collective's lanes wait for each other");
    }
    Ends ends(members_.size());
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (states_[i].last) ends[lanes_[i].rank].push_back(*states_[i].last);
    }
    return ends;
  }

 private:
  struct State {
    std::size_t next = 0;
    std::optional<std::uint32_t> last;
    std::uint32_t unit = 0;
  };
  /// One direction between two ranks: slices go there, free slots come back.
  struct Connection {
    std::uint32_t slices = 0;  ///< number of slices that will be sent
    std::uint32_t received = 0;
    std::vector<std::uint32_t> sends;   ///< slices sent, as operations of the sender
    std::vector<std::uint32_t> grants;  ///< slots freed, as operations of the receiver
  };

  static std::uint64_t key(std::uint32_t from, std::uint32_t to, std::uint32_t channel,
                           std::uint8_t flow) {
    return ((std::uint64_t{from} << 24 | to) << 15 | channel) << 1 | flow;
  }
  Connection& outgoing(const Lane& lane, std::int32_t to) {
    return connections_[key(lane.rank, static_cast<std::uint32_t>(to), lane.channel, lane.to_flow)];
  }
  Connection& incoming(const Lane& lane, std::int32_t from) {
    return connections_[key(static_cast<std::uint32_t>(from), lane.rank, lane.channel,
                            lane.from_flow)];
  }

  bool ready(const Lane& lane, const Primitive& primitive) {
    for (const std::int32_t from : primitive.from) {
      if (from == kNoPeer) continue;
      const Connection& connection = incoming(lane, from);
      if (connection.sends.size() == connection.received) return false;
    }
    for (const std::int32_t to : primitive.to) {
      if (to == kNoPeer) continue;
      const Connection& connection = outgoing(lane, to);
      if (connection.sends.size() >= lane.window + connection.grants.size()) return false;
    }
    return true;
  }

  void play(const Lane& lane, State& state, const Primitive& primitive) {
    const auto bytes = static_cast<std::int64_t>(wire_bytes(protocol_, primitive.bytes));
    for (const std::int32_t from : primitive.from) {
      if (from == kNoPeer) continue;
      Connection& connection = incoming(lane, from);
      const std::uint32_t send = connection.sends[connection.received++];
      const Rank& sender = job_.ranks_[members_[static_cast<std::size_t>(from)]];
      receive(lane, state, from, send, sender.vertices[send].value);
    }
    for (const std::int32_t to : primitive.to) {
      if (to == kNoPeer) continue;
      const Connection& connection = outgoing(lane, to);
      if (connection.sends.size() < lane.window) continue;
      receive(lane, state, to, connection.grants[connection.sends.size() - lane.window], 0);
    }
    if (primitive.combines) {
      const auto ns =
          std::llround(job_.combine_ns_per_byte_ * static_cast<double>(primitive.bytes));
      if (ns > 0) add(lane, state, {.value = ns});
    }
    for (const std::int32_t to : primitive.to) {
      if (to == kNoPeer) continue;
      outgoing(lane, to).sends.push_back(add(lane, state, {.value = bytes, .kind = Kind::send}));
    }
    for (const std::int32_t from : primitive.from) {
      if (from == kNoPeer) continue;
      Connection& connection = incoming(lane, from);
      // No operation waits for the slots that are freed last.
      if (connection.grants.size() + lane.window >= connection.slices) continue;
      connection.grants.push_back(add(lane, state, {.kind = Kind::send}));
    }
  }

  void receive(const Lane& lane, State& state, std::int32_t from, std::uint32_t send,
               std::int64_t bytes) {
    const std::uint32_t recv = add(lane, state, {.value = bytes, .kind = Kind::recv});
    job_.messages_.push_back(
        {members_[static_cast<std::size_t>(from)], send, members_[lane.rank], recv});
  }

  std::uint32_t add(const Lane& lane, State& state, Vertex vertex) {
    vertex.unit = state.unit & (kMostUnits - 1);
    const std::uint32_t rank = members_[lane.rank];
    state.last = state.last ? job_.add(rank, vertex, {&*state.last, 1})
                            : job_.add(rank, vertex, starts_[lane.rank]);
    return *state.last;
  }

  Job& job_;
  std::span<const std::uint32_t> members_;
  Protocol protocol_;
  std::vector<Lane> lanes_;
  std::vector<State> states_;
  const Ends& starts_;  ///< for each member: the requirements of its lanes' first operations
  std::unordered_map<std::uint64_t, Connection> connections_;
};

void Job::collective(std::span<const std::uint32_t> members, std::uint32_t stream,
                     const Collective& collective, const NamedAlgorithm& algorithm,
                     std::int64_t launch_ns) {
  std::vector<Lane> lanes = lanes_of(collective, algorithm);
  Ends starts;
  for (const std::uint32_t member : members) {
    const auto start = joined(member, stream, launch_ns);
    starts.emplace_back(start.begin(), start.end());
  }
  Ends ends = Player(*this, members, stream, collective, std::move(lanes), starts).run();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!ends[i].empty()) ranks_[members[i]].ends[stream] = std::move(ends[i]);
  }
}

Graph Job::finish() {
  Graph graph;
  graph.units = std::exchange(units_, {});
  graph.vertices.reserve(operations_);
  graph.dep_begin.reserve(operations_ + 1);
  for (Rank& rank : ranks_) {
    const VertexId first = graph.rank_begin.back();
    const auto before = static_cast<std::uint32_t>(graph.deps.size());
    graph.vertices.insert(graph.vertices.end(), rank.vertices.begin(), rank.vertices.end());
    for (const std::uint32_t dep : rank.deps) {
      graph.deps.push_back({first + dep, DepKind::released});
    }
    for (const std::uint32_t end : rank.dep_end) graph.dep_begin.push_back(before + end);
    graph.rank_begin.push_back(static_cast<VertexId>(graph.vertices.size()));
    rank = {};
  }
  for (const Message& message : std::exchange(messages_, {})) {
    const VertexId send = graph.rank_begin[message.from] + message.send;
    const VertexId recv = graph.rank_begin[message.to] + message.recv;
    graph.vertices[send].partner = recv;
    graph.vertices[recv].partner = send;
  }
  return graph;
}

}  // namespace latitude::graph::nccl
