#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/error.hpp"
#include "core/graph/compact.hpp"
#include "core/trace/event.hpp"

namespace latitude::graph {

using VertexId = std::uint32_t;
inline constexpr VertexId kNoVertex = std::numeric_limits<VertexId>::max();
inline constexpr std::uint32_t kNoOrigin = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::int64_t kNotTraced = std::numeric_limits<std::int64_t>::min();

/// The kind of a vertex. A transfer is the network's part of a collective whose cost was recorded.
/// It starts when the last member has arrived, on whatever rank, and every member continues after
/// its end.
enum class Kind : std::uint8_t { calc, send, recv, transfer };

/// The meaning of a dependency of vertex `v` on an earlier vertex `d` of the same rank. (If one of
/// the two is a transfer or belongs to one, `d` may be on any rank, and the dependency is on its
/// end.) A vertex has up to four instants: start; release (the CPU is free again: start + o for a
/// non-blocking send, the end for anything else); end (a rendezvous send ends when its buffer may
/// be reused); and, for a recv, posted (the receive may match from then on; equal to start unless
/// given).
enum class DepKind : std::uint8_t {
  requires_end,    ///< start(v) ≥ end(d): GOAL's `requires`
  requires_start,  ///< start(v) ≥ start(d): GOAL's `irequires`
  released,        ///< start(v) ≥ release(d): next in the CPU's program order
  posted,          ///< v is a recv: posted(v) ≥ release(d), instead of start(v)
  /// start(v) ≥ release(d): v takes its CPU after d. Only the CPU keeps v and d apart: the posting
  /// of a recv, and `requires_start` on the recv, depend on its other dependencies only.
  served,
};

struct Dep {
  VertexId vertex;
  DepKind kind;
};

/// One operation. `chained` is shorthand for {previous vertex of this rank, released}: graphs from
/// traces have one chain per rank (the CPU's program order) with few explicit dependencies.
struct Vertex {
  /// calc, transfer: duration in ns; send, recv: message size in bytes
  std::int64_t value = 0;
  VertexId partner = kNoVertex;  ///< send, recv: the matched vertex on the other rank
  /// send, recv: the user's tag (collectives: 0); transfer: index into Graph::transfers
  std::int32_t tag = 0;
  std::uint32_t origin = kNoOrigin;  ///< index into Graph::calls, or kNoOrigin
  Kind kind = Kind::calc;
  bool chained : 1 = false;
  bool blocking : 1 = false;     ///< send: the CPU is not released before its end (MPI_Send)
  bool synchronous : 1 = false;  ///< send: rendezvous whatever its size (MPI_Ssend)
  bool immediate : 1 = false;    ///< send of MPI_Isend and similar calls, whose eager limit may be
                                 ///< their own
  /// calc: the recorded duration of a call, which is not computation. send, recv: such a calc has
  /// the duration of the message's call, so the message has no overhead of its own.
  bool recorded : 1 = false;
  bool sent_recorded : 1 = false;  ///< recv: `recorded` of its send
  std::uint32_t unit : 18 = 0;     ///< index into Graph::units

  bool computes() const { return kind == Kind::calc && !recorded; }

  /// For a receive: takes the properties of its message from `send`.
  void receives(const Vertex& send) {
    value = send.value;
    synchronous = send.synchronous;
    immediate = send.immediate;
    sent_recorded = send.recorded;
    if (tag == trace::kAnyTag) tag = send.tag;
  }
};
static_assert(sizeof(Vertex) == 24);

/// A link that the messages of a collective cross one after the other, and the number of crossings.
struct Hop {
  std::uint32_t source;
  std::uint32_t destination;
  std::uint32_t times;
};

/// The price of a recorded transfer beyond the network of the recording: for each crossing of each
/// of its hops, one more latency and the price of the bytes.
struct Transfer {
  std::uint32_t first_hop;  ///< in Graph::hops
  std::uint32_t hops;
  double bytes;
};

/// A resource of a rank, which does one thing at a time.
struct Resource {
  enum class Kind : std::uint8_t {
    cpu,     ///< GOAL's
    thread,  ///< thread of a traced process: its operations are in program order
    stream,  ///< stream of a GPU
    nic,     ///< network card through which messages leave and enter
    count_,
  };
  Kind kind = Kind::cpu;
  std::uint32_t number = 0;

  auto operator<=>(const Resource&) const = default;
};

/// "cpu" and similar.
std::string_view name_of(Resource::Kind kind) noexcept;

/// The resources of an operation: the one that runs it, and the NIC of its message.
struct Unit {
  Resource line{};
  Resource nic{.kind = Resource::Kind::nic};

  bool operator==(const Unit&) const = default;
};
inline constexpr std::uint32_t kMostUnits = std::uint32_t{1} << 18;

/// Units by one of their two resources: the numbers ascend, and count from 0.
struct Numbering {
  std::vector<std::uint32_t> of_unit;
  std::uint32_t count = 0;
};

Numbering numbering(std::span<const Unit> units, Resource Unit::* resource);

/// The MPI call that made a vertex.
struct CallRecord {
  std::uint32_t comm;
  std::uint32_t position;
  trace::Call call;
  std::uint32_t site = trace::kNoSite;  ///< index into Graph::sites
};

/// The calls of all ranks in little more than 5 bytes each: few differ in more than their position,
/// and positions of neighbours are close to each other.
class CallTable {
 public:
  std::size_t size() const noexcept { return kind_.size(); }
  bool empty() const noexcept { return kind_.empty(); }
  void reserve(std::size_t size) {
    kind_.reserve(size);
    position_.reserve(size);
  }
  void clear() {
    kind_.clear();
    position_.clear();
  }
  void push_back(const CallRecord& call);

  /// Calls of one kind differ only in their positions.
  std::uint32_t kind(std::size_t i) const { return kind_[i]; }

  /// The properties of a call, but for its position.
  const CallRecord& shared(std::size_t i) const { return kinds_[kind_[i]]; }

  CallRecord operator[](std::size_t i) const {
    CallRecord record = kinds_[kind_[i]];
    record.position = position_[i];
    return record;
  }

 private:
  std::vector<std::uint32_t> kind_;  ///< kind of each call, an index into kinds_
  Offsets position_;  ///< position of each call; falls only at the first call of a rank
  std::vector<CallRecord> kinds_;  ///< properties that calls share: all but the position
  std::map<std::tuple<std::uint32_t, std::uint32_t, trace::Call>, std::uint32_t> number_of_;
  std::vector<std::uint32_t> recent_;  ///< recent kinds, at places computed from their contents;
                                       ///< empty without calls
};

/// Calls of one name that the graph does not hold in their original form, over all ranks.
struct Tally {
  trace::Call call = trace::Call::count_;
  std::uint64_t calls = 0;
  std::int64_t ns = 0;  ///< time spent in these calls
  std::string first;    ///< "file:line: name" of the first of these calls
  /// The number of calls at each call site (index into Graph::sites, or kNoSite).
  std::map<std::uint32_t, std::uint64_t> sites;
};

/// The parts of the run that a graph lacks.
struct Tallies {
  std::vector<Tally> unsupported;  ///< calls that no graph can express
  std::vector<Tally> unrecorded;   ///< calls that name a request without a recorded origin
  std::vector<Tally> unfinished;   ///< sends that nothing completes: treated as if their request
                                   ///< was freed
  std::int64_t ranks_ns = 0;       ///< sum of the ranks' durations
};

/// One end of a message that is not matched yet.
struct OpenEnd {
  VertexId vertex;
  std::uint64_t context;  ///< as in trace::Posting
  std::int32_t peer;      ///< for a send its rank; for a receive the source, or trace::kAnySource
  std::int32_t tag;       ///< tag; for a receive perhaps trace::kAnyTag
};

/// Candidates for a rank's receives from any source, in contexts in which more than one rank could
/// have sent the message. These ends have no partners; a simulation of the program matches them
/// (core/solve/arrivals.hpp). Such a graph has no other use.
struct OpenMatch {
  std::uint32_t rank = 0;
  std::vector<OpenEnd>
      sends;  ///< sends to this rank; those of one source and context are in sending order
  std::vector<OpenEnd> receives;  ///< in posting order
};

/// A request for which the trace does not tell which of several calls completed it.
struct PolledRequest {
  std::uint32_t number;  ///< counted over all ranks
  /// The receive itself, which is on no chain yet; otherwise the operation whose end the request
  /// waits for, or kNoVertex.
  VertexId vertex;
  bool receives;
  /// Whether the request had been completed when the listing call returned, by this call or an
  /// earlier one.
  bool by_then;
};

/// A call that may have completed requests; a simulation decides which (core/solve/arrivals.hpp). A
/// graph with such calls has no other use.
struct Poll {
  enum class Takes : std::uint8_t { one, all_or_none, some };
  VertexId vertex;      ///< a calc at the place of the call; its value is the duration of a failed
                        ///< test
  std::uint32_t first;  ///< index into Graph::polled, whose order is that of the call's list
  std::uint32_t count;
  Takes takes;
  bool waits;  ///< until at least one of its requests is done
};

/// Execution graph: a DAG of calc, send, recv and transfer vertices, with one match edge per
/// message. Vertices of a rank are contiguous; within a rank a dependency points backwards, unless
/// it is `served`.
struct Graph {
  std::vector<VertexId> rank_begin{0};  ///< ranks + 1 offsets into `vertices`
  std::vector<Vertex> vertices;
  std::vector<Unit> units{Unit{}};  ///< by Vertex::unit; each pair of resources once
  Offsets dep_begin{{0}};           ///< vertices + 1 offsets into `deps`
  std::vector<Dep> deps;            ///< explicit dependencies only
  /// By vertex, if requested: the end of a computation between calls in the traced run, ns since
  /// the first rank returned from MPI_Init; kNotTraced for anything else.
  std::vector<std::int64_t> traced_ns;
  /// By vertex: the call (MPI_Wait) that completes a receive which another call has posted, as an
  /// index into `calls`; none for anything else.
  Marks completed_in;
  CallTable calls;
  std::vector<trace::Communicator> communicators;
  std::vector<trace::Module> modules;
  std::vector<trace::CallSite> sites;
  std::vector<std::vector<trace::Frame>> frames;  ///< Trace::frames
  Tallies tallies;
  std::vector<Warning> warnings;
  std::vector<Hop> hops;            ///< for all transfers, each route once
  std::vector<Transfer> transfers;  ///< collectives with a recorded cost
  std::vector<OpenMatch> open;      ///< by rank, only ranks with open ends; empty in a whole graph
  std::vector<Poll> polls;          ///< for each rank in program order; empty in a whole graph
  std::vector<PolledRequest> polled;

  std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(rank_begin.size() - 1); }
  std::uint32_t rank_of(VertexId v) const noexcept;
  const Unit& unit_of(VertexId v) const noexcept { return units[vertices[v].unit]; }
  std::span<const Dep> deps_of(VertexId v) const noexcept {
    return {deps.data() + dep_begin[v], dep_begin[v + 1] - dep_begin[v]};
  }
  std::uint64_t messages() const noexcept;
  std::uint64_t bytes() const noexcept;
  /// Local dependencies (implicit ones too) plus match edges.
  std::uint64_t edges() const noexcept;
};

/// Messages that are received in one communicator.
struct Received {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// By communicator of the call that posts the receive; the last entry has the messages without one.
std::vector<Received> received_by_communicator(const Graph& graph);

}  // namespace latitude::graph
