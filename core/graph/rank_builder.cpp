#include "core/graph/rank_builder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace latitude::graph {
namespace {

using trace::CallClass;
using trace::Event;

/// Messages of a communicator's point-to-point calls and of each of its collectives never mix.
std::uint64_t context_of(std::uint32_t comm, std::uint64_t collective = 0) {
  return collective << 32 | comm;
}

bool synchronous(trace::Call call) {
  return call == trace::Call::Ssend || call == trace::Call::Issend ||
         call == trace::Call::Ssend_init;
}

bool buffered(trace::Call call) { return call == trace::Call::Bsend; }

}  // namespace

RankBuilder::RankBuilder(const trace::Trace& trace, std::uint32_t rank, const BuildOptions& options)
    : trace_(trace), rank_(trace.ranks[rank]), world_(rank), options_(options) {
  graph_.vertices.reserve(rank_.events.size() * 2);
  graph_.dep_end.reserve(rank_.events.size() * 2);
  graph_.calls.reserve(rank_.events.size());
}

RankGraph RankBuilder::run() {
  for (std::uint32_t id = 0; id < rank_.events.size(); ++id) handle(id, rank_.events[id]);
  return std::move(graph_);
}

void RankBuilder::handle(std::uint32_t id, const Event& event) {
  const CallClass kind = trace::class_of(event.call);
  if (kind == CallClass::init) {
    last_leave_ = event.leave_ns;
    return;
  }
  const std::span<const std::int64_t> args = args_of(event);
  if (kind == CallClass::completion && !args.empty() && args[0] == 0) {
    return;  // a failed test: the time it took stays part of the gap, which is computation
  }
  if (event.enter_ns < last_leave_) {
    refuse(event, "starts before the call before it has ended; the clock ran backwards");
  }
  gap_ns_ += event.enter_ns - last_leave_;
  last_leave_ = event.leave_ns;
  origin_ = kNoOrigin;
  switch (kind) {
    case CallClass::send:
    case CallClass::isend:
    case CallClass::recv:
    case CallClass::irecv:
      post(id, event);
      break;
    case CallClass::sendrecv:
      sendrecv(event);
      break;
    case CallClass::persistent:
      break;  // only describes an operation; MPI_Start posts it
    case CallClass::start:
      for (const std::int64_t started : args.subspan(1, static_cast<std::size_t>(args[0]))) {
        const auto posted = static_cast<std::uint32_t>(started);
        post(posted, rank_.events[posted]);
      }
      break;
    case CallClass::request_free:
      if (const auto found = requests_.find(static_cast<std::uint32_t>(args[1]));
          found != requests_.end()) {
        found->second.freed = true;
      }
      break;
    case CallClass::probe:
    case CallClass::comm_free:
      break;  // waiting, or local: the call itself takes no modelled time
    case CallClass::completion:
      complete(event);
      break;
    case CallClass::collective:
      collective(id, event, true);
      break;
    case CallClass::icollective:
      collective(id, event, false);
      break;
    case CallClass::comm_create:
      communicator_creation(event);
      break;
    case CallClass::finalize:
      finalize();
      break;
    case CallClass::unsupported:
      unsupported(event);
      break;
    case CallClass::local:
    case CallClass::init:
      break;
  }
}

void RankBuilder::post(std::uint32_t id, const Event& event) {
  const CallClass kind = trace::class_of(event.call);
  const bool receives =
      kind == CallClass::recv || kind == CallClass::irecv || event.call == trace::Call::Recv_init;
  const bool blocking = kind == CallClass::send || kind == CallClass::recv;
  if (!blocking && requests_.contains(id)) {
    refuse(event, "is started again before it was completed");
  }
  if (event.peer == trace::kProcNull) {
    if (!blocking) requests_[id] = {};
    return;
  }
  const std::int32_t peer = world_rank(event, event.peer);
  Request request;
  if (receives) {
    request = post_receive(main_, context_of(event.comm), peer, event.bytes, event.tag);
    request.origin = origin_of(event);
    if (blocking) complete_receive(main_, request);
  } else {
    request = post_send(main_, event, context_of(event.comm), peer, event.bytes, event.tag,
                        blocking && !buffered(event.call));
  }
  if (!blocking) requests_[id] = request;
}

void RankBuilder::sendrecv(const Event& event) {
  const std::span<const std::int64_t> args = args_of(event);
  const auto source = static_cast<std::int32_t>(args[0]);
  Request receive;
  if (source != trace::kProcNull) {
    receive = post_receive(main_, context_of(event.comm), world_rank(event, source),
                           static_cast<std::uint64_t>(args[2]), static_cast<std::int32_t>(args[1]));
    receive.origin = origin_of(event);
  }
  std::vector<VertexId> sent;
  if (event.peer != trace::kProcNull) {
    sent.push_back(post_send(main_, event, context_of(event.comm), world_rank(event, event.peer),
                             event.bytes, event.tag, false)
                       .vertex);
  }
  if (source != trace::kProcNull) complete_receive(main_, receive);
  join_sends(main_, sent);
}

void RankBuilder::complete(const Event& event) {
  const std::span<const std::int64_t> args = args_of(event);
  if (args.empty()) return;
  std::vector<VertexId> ends;
  origin_of(event);
  const std::uint32_t own = origin_;
  for (const std::int64_t arg : args.subspan(1, static_cast<std::size_t>(args[0]))) {
    const auto found = requests_.find(static_cast<std::uint32_t>(arg));
    if (found == requests_.end()) refuse(event, "completes a request that is not active");
    const Request request = found->second;
    requests_.erase(found);
    switch (request.kind) {
      case Request::Kind::nothing:
        break;
      case Request::Kind::recv:
        complete_receive(main_, request);
        break;
      case Request::Kind::send:
        if (request.bytes > 0) ends.push_back(request.vertex);
        break;
      case Request::Kind::collective:
        if (request.vertex != kNoVertex) ends.push_back(request.vertex);
        break;
    }
  }
  origin_ = own;
  join_sends(main_, ends);
}

void RankBuilder::collective(std::uint32_t id, const Event& event, bool blocking) {
  const std::vector<std::int32_t>& group = trace_.communicators[event.comm].group;
  const auto self = std::ranges::find(group, static_cast<std::int32_t>(world_));
  if (self == group.end()) refuse(event, "is called by a rank outside the communicator");
  Collective call;
  call.call = blocking_form(event.call);
  call.rank = static_cast<int>(self - group.begin());
  call.size = static_cast<int>(group.size());
  call.root = event.peer;
  call.bytes = event.bytes;
  call.element = static_cast<std::uint64_t>(std::max(1, event.tag));
  call.commutative = (event.flags & trace::kUserOp) == 0;
  const std::span<const std::int64_t> args = args_of(event);
  const auto size = group.size();
  using trace::Call;
  switch (call.call) {
    case Call::Gatherv:
    case Call::Allgatherv:
    case Call::Reduce_scatter:
      if (!args.empty()) call.recv_bytes = args.subspan(1, size);
      break;
    case Call::Scatterv:
      if (!args.empty()) call.send_bytes = args.subspan(1, size);
      break;
    case Call::Alltoallv:
    case Call::Alltoallw:
      call.send_bytes = args.subspan(1, size);
      call.recv_bytes = args.subspan(1 + size, size);
      break;
    case Call::Neighbor_allgather:
    case Call::Neighbor_allgatherv:
    case Call::Neighbor_alltoall:
    case Call::Neighbor_alltoallv:
    case Call::Neighbor_alltoallw: {
      const auto out = static_cast<std::size_t>(args[0]);
      const auto in = static_cast<std::size_t>(args[1]);
      call.destinations = args.subspan(2, out);
      call.sources = args.subspan(2 + out, in);
      if (args.size() > 2 + out + in) {
        call.send_bytes = args.subspan(2 + out + in, out);
        call.recv_bytes = args.subspan(2 + 2 * out + in, in);
      }
      break;
    }
    default:
      break;
  }
  graph_.collectives.push_back({event.comm, event.position, event.peer, event.call});
  if (blocking) {
    play(main_, call, event);
    return;
  }
  Chain branch{main_position(), false};
  play(branch, call, event);
  Request request;
  request.kind = Request::Kind::collective;
  request.vertex = branch.started ? branch.last : kNoVertex;
  requests_[id] = request;
}

void RankBuilder::communicator_creation(const Event& event) {
  if (event.call == trace::Call::Comm_create_group) {
    unsupported(event);
    return;
  }
  // What libraries do: exchange (colour, key), or agree on a context id.
  const bool split = event.call == trace::Call::Comm_split ||
                     event.call == trace::Call::Comm_split_type ||
                     event.call == trace::Call::Cart_sub;
  const std::vector<std::int32_t>& group = trace_.communicators[event.comm].group;
  const auto self = std::ranges::find(group, static_cast<std::int32_t>(world_));
  if (self == group.end()) refuse(event, "is called by a rank outside the communicator");
  Collective call;
  call.call = split ? trace::Call::Allgather : trace::Call::Allreduce;
  call.rank = static_cast<int>(self - group.begin());
  call.size = static_cast<int>(group.size());
  call.bytes = 8;
  call.element = 8;
  graph_.collectives.push_back({event.comm, event.position, 0, event.call});
  play(main_, call, event);
}

void RankBuilder::play(Chain& chain, const Collective& collective, const Event& event) {
  const std::vector<std::int32_t>& group = trace_.communicators[event.comm].group;
  const std::uint64_t context = context_of(event.comm, ++sequence_[event.comm]);
  steps_.clear();
  try {
    options_.collectives.choose(collective).run(collective, steps_);
  } catch (const InputError& error) {
    throw InputError(trace::where(rank_, event) + ": " + error.what());
  }
  const std::uint32_t origin = origin_of(event);
  std::vector<Request> receives;
  std::vector<VertexId> sends;
  const auto wait = [&] {
    for (const Request& receive : receives) complete_receive(chain, receive);
    receives.clear();
    origin_ = origin;
    join_sends(chain, sends);
    sends.clear();
  };
  const auto member = [&](const Step& step) { return group[static_cast<std::size_t>(step.peer)]; };
  const auto receive = [&](const Step& step) {
    Request request = post_receive(chain, context, member(step), step.bytes, 0);
    request.origin = origin;
    return request;
  };
  for (const Step& step : steps_.view()) {
    switch (step.op) {
      case Step::Op::send:
        post_send(chain, event, context, member(step), step.bytes, 0, true);
        break;
      case Step::Op::isend:
        sends.push_back(
            post_send(chain, event, context, member(step), step.bytes, 0, false).vertex);
        if (step.bytes == 0) sends.pop_back();
        break;
      case Step::Op::recv:
        complete_receive(chain, receive(step));
        break;
      case Step::Op::irecv:
        receives.push_back(receive(step));
        break;
      case Step::Op::wait:
        wait();
        break;
      case Step::Op::reduce: {
        const std::int64_t ns =
            std::llround(options_.reduce_ns_per_byte * static_cast<double>(step.bytes));
        if (ns > 0) push(chain, {.value = ns, .origin = origin, .kind = Kind::calc});
        break;
      }
    }
  }
  wait();
}

RankBuilder::Request RankBuilder::post_send(Chain& chain, const Event& event, std::uint64_t context,
                                            std::int32_t world_peer, std::uint64_t bytes,
                                            std::int32_t tag, bool blocking) {
  Vertex vertex{.value = static_cast<std::int64_t>(bytes),
                .tag = tag,
                .origin = origin_of(event),
                .kind = Kind::send};
  vertex.blocking = blocking;
  vertex.synchronous = synchronous(event.call);
  const VertexId v = push(chain, vertex);
  graph_.postings.sends.push_back({context, world_peer, tag, v});
  Request request;
  request.kind = Request::Kind::send;
  request.vertex = v;
  request.bytes = vertex.synchronous ? std::max<std::uint64_t>(1, bytes) : bytes;
  return request;
}

RankBuilder::Request RankBuilder::post_receive(Chain& chain, std::uint64_t context,
                                               std::int32_t world_peer, std::uint64_t bytes,
                                               std::int32_t tag) {
  Request request;
  request.kind = Request::Kind::recv;
  request.posted_after = &chain == &main_ ? main_position() : chain.last;
  request.posting = static_cast<std::uint32_t>(graph_.postings.receives.size());
  request.bytes = bytes;
  request.tag = tag;
  graph_.postings.receives.push_back({context, world_peer, tag, kNoVertex});
  return request;
}

void RankBuilder::complete_receive(Chain& chain, const Request& request) {
  if (&chain == &main_) flush_gap();
  std::vector<Dep> posted;
  if (request.posted_after != chain.last) posted.push_back({request.posted_after, DepKind::posted});
  const VertexId v = push(chain,
                          {.value = static_cast<std::int64_t>(request.bytes),
                           .tag = request.tag,
                           .origin = request.origin,
                           .kind = Kind::recv},
                          std::move(posted));
  graph_.postings.receives[request.posting].vertex = v;
}

void RankBuilder::join_sends(Chain& chain, const std::vector<VertexId>& ends) {
  if (ends.empty()) return;
  std::vector<Dep> deps;
  deps.reserve(ends.size());
  for (const VertexId end : ends) deps.push_back({end, DepKind::requires_end});
  push(chain, {.value = 0, .origin = origin_, .kind = Kind::calc}, std::move(deps));
}

void RankBuilder::unsupported(const Event& event) {
  if (!options_.skip_unsupported) {
    refuse(event,
           "is not supported in an execution graph; --skip-unsupported leaves such calls out "
           "and says what they stood for");
  }
  Skipped& skipped = graph_.skipped[event.call];
  ++skipped.calls;
  skipped.ns += event.leave_ns - event.enter_ns;
}

void RankBuilder::finalize() {
  flush_gap();
  std::vector<std::uint32_t> left;
  for (const auto& [id, request] : requests_) {
    if (request.kind == Request::Kind::nothing) continue;
    if (!request.freed) {
      refuse(rank_.events[id], "is never completed: no Wait or Test of its request was recorded");
    }
    if (request.kind == Request::Kind::recv) left.push_back(id);
  }
  std::ranges::sort(left);
  for (const std::uint32_t id : left) complete_receive(main_, requests_[id]);
}

VertexId RankBuilder::push(Chain& chain, Vertex vertex, std::vector<Dep> extra) {
  if (&chain == &main_) flush_gap();
  const auto v = static_cast<VertexId>(graph_.vertices.size());
  if (chain.last != kNoVertex) {
    if (chain.last + 1 == v) {
      vertex.chained = true;
    } else {
      extra.push_back({chain.last, DepKind::released});
    }
  }
  graph_.vertices.push_back(vertex);
  graph_.deps.insert(graph_.deps.end(), extra.begin(), extra.end());
  graph_.dep_end.push_back(static_cast<std::uint32_t>(graph_.deps.size()));
  chain.last = v;
  chain.started = true;
  return v;
}

/// The computation since the last operation becomes a vertex.
void RankBuilder::flush_gap() {
  if (gap_ns_ == 0) return;
  const std::int64_t ns = std::exchange(gap_ns_, 0);
  push(main_, {.value = ns, .kind = Kind::calc});
}

/// The vertex whose release is "now" on the CPU; made where the rank has none yet.
VertexId RankBuilder::main_position() {
  flush_gap();
  if (main_.last == kNoVertex) push(main_, {.value = 0, .kind = Kind::calc});
  return main_.last;
}

std::uint32_t RankBuilder::origin_of(const Event& event) {
  if (origin_ == kNoOrigin || graph_.calls[origin_].position != event.position) {
    origin_ = static_cast<std::uint32_t>(graph_.calls.size());
    graph_.calls.push_back({event.comm, event.position, event.call});
  }
  return origin_;
}

std::int32_t RankBuilder::world_rank(const Event& event, std::int32_t peer) const {
  if (peer == trace::kAnySource) return peer;
  const std::vector<std::int32_t>& group = trace_.communicators[event.comm].group;
  if (peer < 0 || static_cast<std::size_t>(peer) >= group.size()) {
    refuse(event, "names rank " + std::to_string(peer) + " of a communicator of " +
                      std::to_string(group.size()));
  }
  return group[static_cast<std::size_t>(peer)];
}

void RankBuilder::refuse(const Event& event, const std::string& why) const {
  throw InputError(trace::where(rank_, event) + " " + why);
}

std::span<const std::int64_t> RankBuilder::args_of(const Event& event) const {
  if (event.args == trace::kNoArgs) return {};
  return std::span(rank_.args).subspan(event.args);
}

}  // namespace latitude::graph
