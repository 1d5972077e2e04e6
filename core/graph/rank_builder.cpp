#include "core/graph/rank_builder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/release.hpp"
#include "core/trace/polls.hpp"

namespace latitude::graph {
namespace {

using trace::CallClass;
using trace::Event;

/// Messages of a communicator's point-to-point calls (trace::context_of) and of each of its
/// collectives, numbered from 1, never mix.
std::uint64_t context_of(std::uint32_t comm, std::uint64_t collective) {
  return collective << 32 | comm;
}

bool synchronous(trace::Call call) {
  return call == trace::Call::Ssend || call == trace::Call::Issend ||
         call == trace::Call::Ssend_init;
}

/// Whether a send returns before its buffer may be used again: MPI libraries have another eager
/// limit for such sends.
bool immediate(trace::Call call) {
  switch (trace::class_of(call)) {
    case CallClass::isend:
    case CallClass::isendrecv:
    case CallClass::persistent:
    case CallClass::partitioned:
      return true;
    default:
      return false;
  }
}

bool buffered(trace::Call call) { return call == trace::Call::Bsend; }

/// Whether calls of this class are counted at the place of the call, including calls that send
/// nothing, as to MPI_PROC_NULL.
bool is_counted(CallClass kind) {
  switch (kind) {
    case CallClass::send:
    case CallClass::isend:
    case CallClass::recv:
    case CallClass::irecv:
    case CallClass::sendrecv:
    case CallClass::isendrecv:
    case CallClass::completion:
    case CallClass::persistent:
    case CallClass::partitioned:
    case CallClass::collective:
    case CallClass::icollective:
    case CallClass::collective_init:
    case CallClass::comm_create:
      return true;
    default:
      return false;
  }
}

/// Whether MPI may have to wait in a call of this class, and so answers all requests to the rank.
/// (Probes are not among these calls, because some formats leave probes out: a receive follows.)
bool may_wait(CallClass kind) {
  switch (kind) {
    case CallClass::send:
    case CallClass::recv:
    case CallClass::sendrecv:
    case CallClass::completion:
    case CallClass::collective:
    case CallClass::comm_create:
    case CallClass::finalize:
      return true;
    default:
      return false;
  }
}

/// Whether calls of this class only describe the work of later starts.
bool describes(CallClass kind) {
  return kind == CallClass::persistent || kind == CallClass::partitioned ||
         kind == CallClass::collective_init;
}

}  // namespace

RankBuilder::RankBuilder(const std::vector<trace::Communicator>& communicators,
                         const trace::RankTrace& rank, std::uint32_t world_rank,
                         const BuildOptions& options, Takes takes)
    : communicators_(communicators),
      rank_(rank),
      world_(world_rank),
      options_(options),
      takes_(takes) {
  if (rank_.threads.empty()) {
    thread_ = &threads_[0];
    thread_->started = true;
  }
}

RankGraph RankBuilder::run(std::vector<Event>* consumed) {
  graph_.vertices.reserve(rank_.events.size() * 2);
  graph_.dep_end.reserve(rank_.events.size() * 2);
  graph_.calls.reserve(rank_.events.size());
  std::size_t given_back = 0;
  for (std::uint32_t id = 0; id < rank_.events.size(); ++id) {
    handle(id, rank_.events[id]);
    if (consumed == nullptr || (id + 1) % kReleasedAtOnce != 0) continue;
    const std::size_t done = done_with(id + std::size_t{1});
    if (done <= given_back) continue;
    release_part(*consumed, given_back, done);
    given_back = done;
  }
  return std::move(graph_);
}

RankGraph RankBuilder::alone(std::uint32_t id) {
  const Event& event = rank_.events[id];
  thread_ = &threads_[rank_.threads.empty() ? 0 : rank_.threads[id]];
  thread_->started = true;
  thread_->last_leave_ns = event.enter_ns;
  handle(id, event);
  record_messages(0);
  return std::move(graph_);
}

std::size_t RankBuilder::done_with(std::size_t taken) const {
  std::size_t done = std::min(taken, first_described_);
  requests_.each([&](std::uint32_t id, const Request&) { done = std::min<std::size_t>(done, id); });
  return done;
}

void RankBuilder::next_piece(Piece& taken) {
  taken.first_vertex = std::exchange(piece_.first_vertex, next_vertex());
  taken.first_call = piece_.first_call;
  taken.first_posting = piece_.first_posting;
  piece_.first_call += static_cast<std::uint32_t>(graph_.calls.size());
  piece_.first_posting += static_cast<std::uint32_t>(graph_.postings.receives.size());
  const auto hand_over = [](auto& from, auto& to) {
    std::swap(from, to);
    from.clear();
  };
  hand_over(graph_.vertices, taken.graph.vertices);
  hand_over(graph_.dep_end, taken.graph.dep_end);
  hand_over(graph_.deps, taken.graph.deps);
  hand_over(graph_.calls, taken.graph.calls);
  hand_over(graph_.postings.sends, taken.graph.postings.sends);
  hand_over(graph_.postings.receives, taken.graph.postings.receives);
  hand_over(graph_.posted, taken.graph.posted);
  hand_over(graph_.answered, taken.graph.answered);
  hand_over(graph_.completed, taken.graph.completed);
  hand_over(graph_.branches, taken.graph.branches);
  hand_over(graph_.collectives, taken.graph.collectives);
  origin_ = kNoOrigin;
}

void RankBuilder::collect_needed(std::vector<VertexId>& to) const {
  const auto need = [&](VertexId v) {
    if (v != kNoVertex) to.push_back(v);
  };
  for (const auto& [number, thread] : threads_) need(thread.chain.last);
  requests_.each([&](std::uint32_t, const Request& request) {
    need(request.vertex);
    need(request.posted_after);
  });
}

void RankBuilder::handle(std::uint32_t id, const Event& event) {
  const CallClass kind = trace::class_of(event.call);
  if (!rank_.threads.empty()) thread_ = &threads_[rank_.threads[id]];
  if (kind == CallClass::init) {
    thread_->started = true;
    thread_->last_leave_ns = thread_->entered_ns = event.leave_ns;
    if (records() && !options_.call_times->starts_ns.empty()) {
      record(main(), options_.call_times->starts_ns[world_]);
    }
    return;
  }
  origin_ = kNoOrigin;
  if (trace::of_polls(event)) return failed(event);
  if (describes(kind)) first_described_ = std::min<std::size_t>(first_described_, id);
  if (is_counted(kind)) origin_of(event);
  if (kind == CallClass::completion && trace::requests_of(rank_, event).empty() &&
      (event.flags & trace::kUnrecorded) == 0) {
    return failed(event);
  }
  enter(id, event);
  if (may_wait(kind)) answer();
  if (kind == CallClass::unsupported || (event.flags & trace::kUnsupported) != 0) {
    unsupported(id, event);
  } else {
    // The call does its part for those of its requests that are known.
    if ((event.flags & trace::kUnrecorded) != 0) count(event, graph_.tallies.unrecorded);
    play_event(id, event);
  }
}

/// The time since the thread's last call is computation.
void RankBuilder::enter(std::uint32_t id, const Event& event) {
  if (!thread_->started) begin_thread(event);
  if (event.enter_ns < thread_->last_leave_ns) {
    refuse(event, "starts before the call before it has ended; the clock ran backwards");
  }
  main().gap_ns += polled(event, event.enter_ns - thread_->last_leave_ns);
  if (options_.traced_times) main().until_ns = rank_.common.at(event.enter_ns);
  thread_->last_leave_ns = event.leave_ns;
  if (!rank_.threads.empty() && rank_.threads[id] == rank_.threads.front()) {
    thread_->entered_at = position(main());
    thread_->entered_ns = event.enter_ns;
  }
}

/// A test that completes nothing answers no RTS, and is not an operation: it is a part of the gap.
void RankBuilder::failed(const Event& event) {
  if (!trace::polls(event.call)) return;  // the call did not wait
  if (options_.leave_open) return;        // the times tell which polls fail
  Polls& polls = thread_->polls;
  const bool first = polls.failed == 0;
  if (first) polls.since_ns = event.leave_ns;
  if (!trace::of_polls(event)) {
    ++polls.failed;
    if (!first) polls.cost_ns += event.leave_ns - event.enter_ns;
    return;
  }
  const trace::FailedPolls several = trace::polls_of(event);
  polls.failed += several.count;
  // The failed polls other than the first, and the poll that does not fail.
  polls.cost_ns += static_cast<std::int64_t>(several.count) * several.each_ns;
  polls.found = several.found;
}

/// Returns the computation in the gap before the event. If polls in the gap finally found a
/// message, the polls after the first were a wait; work between polls stays computation.
std::int64_t RankBuilder::polled(const Event& event, std::int64_t gap_ns) {
  const Polls made = std::exchange(thread_->polls, {});
  if (made.cost_ns == 0 || !(made.found || trace::polls(event.call))) return gap_ns;
  const std::int64_t polling_ns =
      std::clamp<std::int64_t>(event.enter_ns - made.since_ns, 0, gap_ns);
  const std::int64_t waited_ns = std::min(polling_ns, made.cost_ns);
  Polling& all = graph_.tallies.polling;
  all.failed += made.failed;
  all.waited_ns += waited_ns;
  all.between_ns += polling_ns - waited_ns;
  ++all.gaps;
  main().between_polls_ns += polling_ns - waited_ns;
  return gap_ns - waited_ns;
}

/// Receives posted since the last call that may wait can now answer the RTS of their rendezvous.
void RankBuilder::answer() {
  if (unanswered_.empty()) return;
  const VertexId now = position(main());
  for (const std::uint32_t id : unanswered_) {
    Request* const request = requests_.find(id);
    request->posted_after = now;
    if (takes_ == Takes::pieces) graph_.answered.push_back({request->posting, now});
  }
  unanswered_.clear();
}

/// Begins a thread other than the first at the place that the first thread has now reached. The
/// thread may depend on everything that the first thread did before.
void RankBuilder::begin_thread(const Event& event) {
  Thread& first = threads_.at(rank_.threads.front());
  thread_->started = true;
  main().unit = static_cast<std::uint32_t>(threads_.size() - 1);
  if (event.enter_ns >= first.last_leave_ns) {
    main().last = position(first.chain);
    thread_->last_leave_ns = first.last_leave_ns;
  } else {  // in the middle of a call, whose end may depend on this thread
    main().last = first.entered_at;
    thread_->last_leave_ns = std::min(event.enter_ns, first.entered_ns);
  }
}

void RankBuilder::play_event(std::uint32_t id, const Event& event) {
  switch (trace::class_of(event.call)) {
    case CallClass::send:
    case CallClass::isend:
    case CallClass::recv:
    case CallClass::irecv:
      post(id, event, trace::message_of(event), time_of(event));
      break;
    case CallClass::sendrecv:
      sendrecv(event);
      break;
    case CallClass::isendrecv:
      keep(id, post_sendrecv(event, Answers::in_the_next_wait,
                             records() ? std::optional(time_of(event)) : std::nullopt));
      break;
    case CallClass::persistent:
    case CallClass::partitioned:
      take(event, time_of(event));  // only describes an operation; MPI_Start posts it
      break;
    case CallClass::collective_init:
      described(id, event);
      break;
    case CallClass::start:
      start(event);
      break;
    case CallClass::ready:
      ready(event);
      break;
    case CallClass::request_free:
      for (const std::uint32_t freed : trace::requests_of(rank_, event)) {
        if (Request* const found = requests_.find(freed)) found->freed = true;
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
      communicator_creation(id, event);
      break;
    case CallClass::finalize:
      finalize();
      break;
    case CallClass::unsupported:
    case CallClass::local:
    case CallClass::init:
      break;
  }
}

void RankBuilder::start(const Event& event) {
  const std::size_t count = trace::requests_of(rank_, event).size();
  const std::int64_t took_ns =
      time_of(event) / static_cast<std::int64_t>(std::max<std::size_t>(1, count));
  for (std::size_t i = 0; i < count; ++i) {
    const trace::Started operation = trace::started(rank_, event, i);
    const CallClass kind = trace::class_of(operation.made.call);
    if ((operation.made.flags & trace::kUnsupported) != 0) {
      requests_[operation.id] = {};
    } else if (kind == CallClass::collective_init) {
      const Event& made = operation.made;
      const auto sequence = inits_.find(operation.id);
      if (sequence == inits_.end() || requests_.contains(operation.id)) {
        refuse(made, "is started again before it was completed");
      }
      requests_[operation.id] = branch(made, sequence->second);
    } else if (operation.made.call == trace::Call::Psend_init &&
               operation.message.peer != trace::kProcNull) {
      requests_[operation.id] = {.kind = Request::Kind::unready};
    } else {
      post(operation.id, operation.made, operation.message, took_ns);
      continue;
    }
    take(operation.made, took_ns);
  }
}

/// Sends the message of a partitioned send whose partitions are all ready.
void RankBuilder::ready(const Event& event) {
  for (const std::uint32_t id : trace::requests_of(rank_, event)) {
    const Event& made = rank_.events[id];
    Request* const found = requests_.find(id);
    if (found == nullptr || found->kind != Request::Kind::unready) continue;
    const trace::Message message = trace::message_of(made);
    const bool freed = found->freed;
    *found = post_send(main(), made, trace::context_of(rank_, made), world_rank(made, message.peer),
                       message.bytes, message.tag, false);
    found->freed = freed;
  }
}

/// The duration of the call, less the tracer's own time.
std::int64_t RankBuilder::time_of(const Event& event) const {
  return std::max<std::int64_t>(0, event.leave_ns - event.enter_ns - rank_.call_cost_ns);
}

/// The duration of such a call for each end of its messages, from their mean size; none: the
/// network's o.
std::optional<std::int64_t> RankBuilder::time_of_end(trace::Service service, const Event& event,
                                                     double bytes) const {
  if (!records() || bytes > static_cast<double>(options_.call_times->eager)) return std::nullopt;
  const std::optional<double> ns = options_.call_times->of_end(service, event.call, bytes);
  return ns ? std::optional(std::llround(*ns)) : std::nullopt;
}

/// Records the duration of a call that cannot wait.
void RankBuilder::take(const Event& event, std::int64_t took_ns) {
  if (!records()) return;
  origin_of(event);
  record(main(), took_ns);
}

/// Adds CPU time of a call that is not computation.
void RankBuilder::record(Chain& chain, std::int64_t took_ns) {
  if (took_ns == 0) return;
  Vertex vertex{.value = took_ns, .origin = origin_, .kind = Kind::calc};
  vertex.recorded = true;
  push(chain, vertex);
}

/// Marks the messages of the vertices from `from` on: their CPU time is recorded.
void RankBuilder::record_messages(std::size_t from) {
  for (std::size_t v = from; v < graph_.vertices.size(); ++v) {
    if (graph_.vertices[v].kind != Kind::calc) graph_.vertices[v].recorded = true;
  }
}

void RankBuilder::post(std::uint32_t id, const Event& event, const trace::Message& message,
                       std::int64_t took_ns) {
  const CallClass kind = trace::class_of(event.call);
  const bool blocking = kind == CallClass::send || kind == CallClass::recv;
  if (!blocking) never_completed(id, event);
  if (message.peer == trace::kProcNull) {
    take(event, took_ns);
    if (!blocking) requests_[id] = {};
    return;
  }
  const std::int32_t world_peer = world_rank(event, message.peer);
  Request request;
  if (trace::receives(event.call)) {
    if (!blocking) take(event, took_ns);
    request = post_receive(main(), trace::context_of(rank_, event), world_peer, message.bytes,
                           message.tag, origin_of(event),
                           blocking ? Answers::at_once : Answers::in_the_next_wait);
    if (blocking) {
      const auto bytes = static_cast<double>(message.bytes);
      complete_receive(main(), request, kNoOrigin,
                       time_of_end(trace::Service::receive, event, bytes));
    }
  } else {
    const bool waits = blocking && !buffered(event.call);
    const bool cannot_wait = !waits || (records() && message.bytes <= options_.call_times->eager &&
                                        !synchronous(event.call));
    if (cannot_wait) take(event, took_ns);
    request = post_send(main(), event, trace::context_of(rank_, event), world_peer, message.bytes,
                        message.tag, waits);
    if (records() && cannot_wait) record_messages(graph_.vertices.size() - 1);
  }
  if (!blocking) keep(id, request);
}

/// Counts a send of the same persistent request that nothing has completed.
void RankBuilder::never_completed(std::uint32_t id, const Event& event) {
  const Request* const before = requests_.find(id);
  if (before == nullptr || before->kind == Request::Kind::nothing) return;
  if (before->kind != Request::Kind::send) {
    refuse(event, "is started again before it was completed");
  }
  count(event, graph_.tallies.unfinished);
}

void RankBuilder::keep(std::uint32_t id, const Request& request) {
  requests_[id] = request;
  if (request.answers == Answers::in_the_next_wait) unanswered_.push_back(id);
}

/// Posts both halves, as one request; the sending half takes this duration, or the network's o.
RankBuilder::Request RankBuilder::post_sendrecv(const Event& event, Answers answers,
                                                std::optional<std::int64_t> took_ns) {
  const trace::Message out = trace::message_of(event);
  const trace::Message in = trace::received_by(rank_, event);
  const std::uint64_t context = trace::context_of(rank_, event);
  Request request;
  if (took_ns) take(event, *took_ns);
  if (in.peer != trace::kProcNull) {
    request = post_receive(main(), context, world_rank(event, in.peer), in.bytes, in.tag,
                           origin_of(event), answers);
  }
  if (out.peer != trace::kProcNull) {
    const Request sent =
        post_send(main(), event, context, world_rank(event, out.peer), out.bytes, out.tag, false);
    if (took_ns) record_messages(graph_.vertices.size() - 1);
    request.vertex = sent.vertex;
    if (request.kind == Request::Kind::nothing) return sent;
    if (out.bytes > 0) request.kind = Request::Kind::both;
  }
  return request;
}

void RankBuilder::sendrecv(const Event& event) {
  const trace::Message out = trace::message_of(event);
  const trace::Message in = trace::received_by(rank_, event);
  const bool sends = out.peer != trace::kProcNull;
  const bool receives = in.peer != trace::kProcNull;
  const auto larger =
      static_cast<double>(std::max(sends ? out.bytes : 0, receives ? in.bytes : std::uint64_t{0}));
  const trace::Service service = sends ? trace::Service::exchange : trace::Service::receive;
  const std::optional<std::int64_t> took_ns =
      receives ? time_of_end(service, event, larger) : std::optional<std::int64_t>{};
  const Request request = post_sendrecv(event, Answers::at_once, sends ? took_ns : std::nullopt);
  if (receives) complete_receive(main(), request, kNoOrigin, took_ns);
  if (request.vertex != kNoVertex) join_sends(main(), std::span(&request.vertex, 1));
}

void RankBuilder::complete(const Event& event) {
  if ((event.flags & trace::kOpen) != 0) return poll(event);
  ends_.clear();
  origin_of(event);
  const std::uint32_t own = origin_;
  const Served served = served_by(event);
  const std::optional<std::int64_t> took_ns =
      time_of_end(trace::Service::complete, event, served.bytes_received());
  for (const std::uint32_t id : trace::requests_of(rank_, event)) {
    const Request* const found = requests_.find(id);
    if (found == nullptr) refuse(event, "completes a request that is not active");
    const Request request = *found;
    requests_.erase(id);
    switch (request.kind) {
      case Request::Kind::nothing:
        break;
      case Request::Kind::unready:
        refuse(rank_.events[id], "is completed before all of its partitions were marked ready");
      case Request::Kind::recv:
        complete_receive(main(), request, own, took_ns);
        break;
      case Request::Kind::both:
        complete_receive(main(), request, own, took_ns);
        ends_.push_back(request.vertex);
        break;
      case Request::Kind::send:
        if (request.bytes > 0) ends_.push_back(request.vertex);
        break;
      case Request::Kind::collective:
        if (request.vertex != kNoVertex) ends_.push_back(request.vertex);
        break;
    }
  }
  origin_ = own;
  std::optional<std::int64_t> sends_ns;
  if (served.receives == 0 && served.sends > 0) {
    sends_ns = time_of_end(trace::Service::complete_send, event, served.bytes_sent());
  }
  join_sends(main(), ends_, sends_ns.value_or(0) * served.sends);
}

/// The messages that the call completes.
RankBuilder::Served RankBuilder::served_by(const Event& event) const {
  Served served;
  if (!records()) return served;
  for (const std::uint32_t id : trace::requests_of(rank_, event)) {
    const Request* const request = requests_.find(id);
    if (request == nullptr) continue;
    const auto bytes = static_cast<double>(request->bytes);
    if (request->kind == Request::Kind::send) {
      ++served.sends;
      served.sent += bytes;
    } else if (request->kind == Request::Kind::recv || request->kind == Request::Kind::both) {
      ++served.receives;
      served.received += bytes;
    }
  }
  return served;
}

/// Adds a poll. The completions of a poll get their places in the program after a simulation has
/// decided which poll made each completion.
void RankBuilder::poll(const Event& event) {
  origin_of(event);
  const std::uint32_t own = origin_;
  Poll poll{.vertex = kNoVertex,
            .first = static_cast<std::uint32_t>(graph_.polled.size()),
            .count = 0,
            .takes = Poll::Takes::some,
            .waits = event.call == trace::Call::Waitany || event.call == trace::Call::Waitsome};
  using trace::Call;
  if (event.call == Call::Waitany || event.call == Call::Testany) poll.takes = Poll::Takes::one;
  if (event.call == Call::Testall) poll.takes = Poll::Takes::all_or_none;
  const auto ids = trace::requests_of(rank_, event);
  const auto by_then = trace::completed_by_then(rank_, event);
  for (std::size_t i = 0; i < by_then.size(); ++i) {
    Request* const found = requests_.find(ids[i]);
    if (found == nullptr) refuse(event, "completes a request that is not active");
    Request& request = *found;
    if (request.polled == kNoOrigin) {
      request.polled = graph_.polled_requests++;
      request.vertex = awaited(request);
    }
    const bool receives = request.kind == Request::Kind::recv;
    graph_.polled.push_back({request.polled, request.vertex, receives, by_then[i] != 0});
    if (by_then[i] != 0) requests_.erase(ids[i]);
  }
  poll.count = static_cast<std::uint32_t>(graph_.polled.size() - poll.first);
  const bool waits = poll.waits || event.call == Call::Wait || event.call == Call::Waitall;
  const std::int64_t test_ns = waits ? 0 : event.leave_ns - event.enter_ns;
  poll.vertex = push(main(), {.value = test_ns, .origin = own, .kind = Kind::calc});
  graph_.polls.push_back(poll);
}

/// PolledRequest::vertex. Formats that do not record which call completed a request have no
/// Isendrecv.
VertexId RankBuilder::awaited(Request& request) {
  if (request.kind == Request::Kind::send) return request.bytes > 0 ? request.vertex : kNoVertex;
  if (request.kind != Request::Kind::recv) return request.vertex;
  graph_.deps.push_back({request.posted_after, DepKind::posted});
  const VertexId v = append(main(), {.value = static_cast<std::int64_t>(request.bytes),
                                     .tag = request.tag,
                                     .origin = request.origin,
                                     .kind = Kind::recv});
  graph_.postings.receives[request.posting].id = v;
  return v;
}

/// The operation that the call requests.
Collective RankBuilder::collective_of(const Event& event) const {
  const trace::Members& group = communicators_[event.comm].group;
  const std::optional<std::int32_t> self = group.place_of(world_);
  if (!self) refuse(event, "is called by a rank outside the communicator");
  Collective call;
  call.call = trace::blocking_form(event.call);
  call.rank = *self;
  call.size = static_cast<int>(group.size());
  const trace::CollectiveArgs args = trace::collective_of(rank_, event);
  call.root = args.root;
  call.bytes = args.bytes;
  call.element = args.element;
  call.commutative = !args.user_op;
  call.send_bytes = args.lists.to_each;
  call.recv_bytes = args.lists.from_each;
  call.destinations = args.lists.destinations;
  call.sources = args.lists.sources;
  return call;
}

/// Notes that all members of the communicator have to make this call.
void RankBuilder::note(const Event& event) {
  const std::int32_t root = trace::collective_of(rank_, event).root;
  graph_.collectives.push_back({event.comm, event.position, root, event.call});
}

void RankBuilder::collective(std::uint32_t id, const Event& event, bool blocking) {
  note(event);
  const std::uint32_t sequence = ++sequence_[event.comm];
  if (!blocking) {
    take(event, time_of(event));
    requests_[id] = branch(event, sequence);
    return;
  }
  const Collective call = collective_of(event);
  const std::size_t first = graph_.vertices.size();
  play(main(), call, algorithm_of(call, event), event, context_of(event.comm, sequence));
  if (!records()) return;
  const auto members = static_cast<std::uint32_t>(call.size);
  const std::optional<double> ns =
      options_.call_times->of_collective(event.call, members, event.bytes);
  if (!ns) return;
  record_messages(first);
  origin_of(event);
  record(main(), std::llround(*ns));
}

/// A persistent collective: its starts match by the call that described it, in any order. Its
/// messages keep one context, because a start follows the completion of the previous one.
void RankBuilder::described(std::uint32_t id, const Event& event) {
  note(event);
  inits_[id] = ++sequence_[event.comm];
}

RankBuilder::Request RankBuilder::branch(const Event& event, std::uint32_t sequence) {
  const Collective call = collective_of(event);
  Chain branch{.last = position(main()), .unit = main().unit};
  const VertexId first = next_vertex();
  play(branch, call, algorithm_of(call, event), event, context_of(event.comm, sequence));
  Request request;
  request.kind = Request::Kind::collective;
  request.vertex = branch.started ? branch.last : kNoVertex;
  if (branch.started && takes_ == Takes::pieces) graph_.branches.push_back(first);
  return request;
}

void RankBuilder::communicator_creation(std::uint32_t id, const Event& event) {
  // The work of libraries: exchange (colour, key), agree on a context id.
  const bool split = event.call == trace::Call::Comm_split ||
                     event.call == trace::Call::Comm_split_type ||
                     event.call == trace::Call::Cart_sub;
  std::uint32_t comm = event.comm;
  if (trace::made_by_members(event.call)) {
    const std::optional<std::int64_t> made = trace::communicator_made(rank_, event);
    if (!made) return unsupported(id, event);
    if (*made == trace::kCommNull) return;
    comm = static_cast<std::uint32_t>(*made);
  }
  const trace::Members& group = communicators_[comm].group;
  const std::optional<std::int32_t> self = group.place_of(world_);
  if (!self) refuse(event, "is called by a rank outside the communicator");
  graph_.collectives.push_back({comm, event.position, 0, event.call});
  const auto parts = options_.collectives.creation(split, *self, static_cast<int>(group.size()));
  for (const auto& [part, algorithm] : parts) {
    play(main(), part, algorithm, event, context_of(comm, ++sequence_[comm]));
  }
}

NamedAlgorithm RankBuilder::algorithm_of(const Collective& collective, const Event& event) const {
  try {
    return options_.collectives.choose(collective);
  } catch (const InputError& error) {
    throw InputError(trace::where(rank_, event) + ": " + error.what());
  }
}

/// The member's steps of a collective. Thousands of calls are equal, and have the same steps.
void RankBuilder::find_steps(const Collective& collective, const NamedAlgorithm& algorithm,
                             const Event& event) {
  const bool has_lists = collective.has_lists();
  if (algorithm.run == steps_by_ && !has_lists && collective.same_numbers(steps_for_)) return;
  steps_.clear();
  steps_by_ = nullptr;
  try {
    algorithm.run(collective, steps_);
  } catch (const InputError& error) {
    throw InputError(trace::where(rank_, event) + ": " + error.what());
  }
  if (has_lists) return;  // the next call may have other lists
  steps_by_ = algorithm.run;
  steps_for_ = collective;
}

void RankBuilder::play(Chain& chain, const Collective& collective, const NamedAlgorithm& algorithm,
                       const Event& event, std::uint64_t context) {
  const trace::Members& group = communicators_[static_cast<std::uint32_t>(context)].group;
  find_steps(collective, algorithm, event);
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
    return post_receive(chain, context, member(step), step.bytes, 0, origin, Answers::at_once);
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
  vertex.immediate = immediate(event.call);
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
                                               std::int32_t tag, std::uint32_t origin,
                                               Answers answers) {
  Request request;
  request.kind = Request::Kind::recv;
  request.posted_after = position(chain);
  // Threads that wait answer for threads that compute.
  const bool background = options_.async_progress || !rank_.threads.empty();
  request.answers = background ? Answers::at_once : answers;
  request.posting =
      piece_.first_posting + static_cast<std::uint32_t>(graph_.postings.receives.size());
  request.bytes = bytes;
  request.tag = tag;
  request.origin = origin;
  graph_.postings.receives.push_back({context, world_peer, tag, kNoVertex});
  if (takes_ == Takes::pieces) {
    graph_.posted.push_back({request.posted_after, origin, piece_.call(origin), bytes,
                             request.answers == Answers::at_once});
  }
  return request;
}

/// Completes a receive in `call`, or in its posting call if that is a blocking one. The receive
/// takes this duration, or the network's o.
void RankBuilder::complete_receive(Chain& chain, const Request& request, std::uint32_t call,
                                   std::optional<std::int64_t> took_ns) {
  flush_gap(chain);
  const Dep posted{request.posted_after, DepKind::posted};
  const bool earlier = request.posted_after != chain.last;
  const VertexId v = push(chain,
                          {.value = static_cast<std::int64_t>(request.bytes),
                           .tag = request.tag,
                           .origin = request.origin,
                           .kind = Kind::recv},
                          std::span(&posted, earlier ? 1 : 0));
  if (takes_ == Takes::pieces) {
    graph_.completed.push_back({request.posting, v, call});
  } else {
    graph_.postings.receives[request.posting].id = v;
    if (call != kNoOrigin && call != request.origin) graph_.completions.push_back({v, call});
  }
  if (!took_ns) return;
  record_messages(graph_.vertices.size() - 1);
  record(chain, *took_ns);
}

void RankBuilder::join_sends(Chain& chain, std::span<const VertexId> ends, std::int64_t took_ns) {
  if (!ends.empty()) {
    joined_.clear();
    for (const VertexId end : ends) joined_.push_back({end, DepKind::requires_end});
    push(chain, {.value = 0, .origin = origin_, .kind = Kind::calc}, joined_);
  }
  record(chain, took_ns);
}

/// Counts an unsupported call. Latitude decides whether to reject such calls once the calls of all
/// ranks are known.
void RankBuilder::unsupported(std::uint32_t id, const Event& event) {
  count(event, graph_.tallies.unsupported);
  const CallClass kind = trace::class_of(event.call);
  if (kind == CallClass::isend || kind == CallClass::irecv || kind == CallClass::isendrecv ||
      kind == CallClass::icollective) {
    requests_[id] = {};  // its completion adds nothing either
  }
}

void RankBuilder::count(const Event& event, std::map<trace::Call, Tally>& in) const {
  Tally& tally = in[event.call];
  if (tally.calls++ == 0) {
    tally.call = event.call;
    tally.first = trace::where(rank_, event);
  }
  tally.ns += event.leave_ns - event.enter_ns;
  ++tally.sites[site_of(event)];
}

void RankBuilder::finalize() {
  flush_gap(main());
  std::vector<Dep> threads;
  for (auto& [number, thread] : threads_) {
    flush_gap(thread.chain);
    const VertexId end = thread.chain.last;
    if (&thread != thread_ && end != kNoVertex) threads.push_back({end, DepKind::released});
  }
  if (!threads.empty()) push(main(), {.value = 0, .kind = Kind::calc}, threads);
  std::vector<std::uint32_t> left;
  requests_.each([&](std::uint32_t id, const Request& request) {
    if (request.kind != Request::Kind::nothing) left.push_back(id);
  });
  // By program order: an event that is taken in pieces may have the place of an earlier one.
  if (takes_ == Takes::all) {
    std::ranges::sort(left);
  } else {
    std::ranges::sort(left, {}, [&](std::uint32_t id) { return rank_.events[id].position; });
  }
  for (const std::uint32_t id : left) end(id, requests_[id]);
}

/// Treats a request that nothing has completed. Programs leave sends uncompleted (they reset the
/// array of their requests). Such sends end at some time, as if their requests had been freed.
void RankBuilder::end(std::uint32_t id, const Request& request) {
  const bool receives = request.kind == Request::Kind::recv || request.kind == Request::Kind::both;
  if (!request.freed) {
    if (request.kind != Request::Kind::send) {
      refuse(rank_.events[id], "is never completed: no Wait or Test of its request was recorded");
    }
    count(rank_.events[id], graph_.tallies.unfinished);
  } else if (receives) {
    complete_receive(main(), request);
  }
}

/// Adds a vertex at the end of the chain, which also depends on `deps`.
VertexId RankBuilder::push(Chain& chain, Vertex vertex, std::span<const Dep> deps) {
  flush_gap(chain);
  const VertexId v = next_vertex();
  graph_.deps.insert(graph_.deps.end(), deps.begin(), deps.end());
  if (chain.last != kNoVertex) {
    vertex.chained = chain.last + 1 == v;
    if (!vertex.chained) graph_.deps.push_back({chain.last, DepKind::released});
  }
  append(chain, vertex);
  chain.last = v;
  chain.started = true;
  return v;
}

/// Adds a vertex in parallel with the chain: the next operation on the chain does not follow this
/// vertex, which depends on the operations added to `deps`.
VertexId RankBuilder::append(const Chain& chain, Vertex vertex) {
  vertex.unit = chain.unit & (kMostUnits - 1);
  graph_.vertices.push_back(vertex);
  graph_.dep_end.push_back(static_cast<std::uint32_t>(graph_.deps.size()));
  if (options_.traced_times) graph_.traced_ns.push_back(kNotTraced);
  return next_vertex() - 1;
}

/// Makes a vertex of the computation since the last operation, or of a traced time without
/// computation.
void RankBuilder::flush_gap(Chain& chain) {
  if (chain.gap_ns == 0 && chain.until_ns == kNotTraced) return;
  const std::int64_t ns = std::exchange(chain.gap_ns, 0);
  const std::int64_t until_ns = std::exchange(chain.until_ns, kNotTraced);
  const std::int64_t between_ns = std::exchange(chain.between_polls_ns, 0);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto between_polls = static_cast<std::int32_t>(std::min(between_ns, kMost));
  push(chain, {.value = ns, .tag = between_polls, .kind = Kind::calc});
  if (options_.traced_times) graph_.traced_ns.back() = until_ns;
}

/// The vertex whose release is "now" on the chain; created if missing.
VertexId RankBuilder::position(Chain& chain) {
  flush_gap(chain);
  if (chain.last == kNoVertex) push(chain, {.value = 0, .kind = Kind::calc});
  return chain.last;
}

std::uint32_t RankBuilder::origin_of(const Event& event) {
  if (origin_ == kNoOrigin || piece_.call(origin_).position != event.position) {
    const CallRecord record{event.comm, event.position, event.call, site_of(event)};
    origin_ = piece_.first_call + static_cast<std::uint32_t>(graph_.calls.size());
    if (describes(trace::class_of(event.call))) {  // one call, whatever the number of starts
      const auto [known, is_new] = described_.try_emplace(event.position, origin_);
      origin_ = known->second;
      if (!is_new) return origin_;
      if (takes_ == Takes::pieces) piece_.lasting.emplace(origin_, record);
    }
    graph_.calls.push_back(record);
  }
  return origin_;
}

std::uint32_t RankBuilder::site_of(const Event& event) const {
  const auto id = static_cast<std::size_t>(&event - rank_.events.data());
  return rank_.sites.empty() ? trace::kNoSite : rank_.sites[id];
}

std::int32_t RankBuilder::world_rank(const Event& event, std::int32_t peer) const {
  if (peer == trace::kAnySource) return peer;
  const trace::Members& group = communicators_[event.comm].group;
  if (peer < 0 || static_cast<std::size_t>(peer) >= group.size()) {
    refuse(event, "names rank " + std::to_string(peer) + " of a communicator of " +
                      std::to_string(group.size()));
  }
  return group[static_cast<std::size_t>(peer)];
}

void RankBuilder::refuse(const Event& event, const std::string& why) const {
  throw InputError(trace::where(rank_, event) + " " + why);
}

}  // namespace latitude::graph
