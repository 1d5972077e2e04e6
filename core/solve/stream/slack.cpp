#include "core/solve/stream/slack.hpp"

#include <algorithm>
#include <utility>

#include "core/crew.hpp"
#include "core/flat_map.hpp"
#include "core/solve/hops.hpp"
#include "core/solve/message_joins.hpp"
#include "core/solve/prices.hpp"
#include "core/solve/stream/place_numbers.hpp"
#include "core/solve/stream/stepping.hpp"
#include "core/solve/stream/streaming.hpp"
#include "core/solve/stream/tape.hpp"

namespace latitude::solve {
namespace {

using graph::VertexId;

struct HashKind {
  std::uint64_t operator()(const MessageKind& kind) const noexcept {
    std::uint64_t mixed = std::uint64_t{kind.source} << 32 | kind.destination;
    for (const std::uint64_t part : {std::uint64_t{kind.received} << 32 | kind.sent,
                                     std::uint64_t{kind.comm} << 8 | kind.size}) {
      mixed = HashNumber()(mixed ^ mixed >> 32) + part;
    }
    return HashNumber()(mixed ^ mixed >> 29);
  }
};

/// Numbers for kinds of messages, in order of appearance.
class KindNumbers {
 public:
  std::uint32_t of(const MessageKind& kind) {
    std::uint32_t& number = numbers_[kind];
    if (number == 0) {
      kinds.push_back(kind);
      number = static_cast<std::uint32_t>(kinds.size());
    }
    return number - 1;
  }

  std::vector<MessageKind> kinds;

 private:
  FlatMap<MessageKind, std::uint32_t, HashKind> numbers_;  ///< each number plus 1
};

/// Algebra of Lowering that makes the DAG of compile_messages, finds the length of the longest path
/// to each node, and writes the data for the backward pass instead of keeping the nodes.
class Taping : public MessageJoins<Taping, HeldRef> {
 public:
  using Program = LiveProgram<Instant>;

  Taping(const model::Network& network, Tape& tape)
      : direction_(direction(network, model::Theta::L)),
        theta_(network.classes[0].L),
        tape_(tape),
        zero_(nodes_.take()) {}

  void runs(const Program& program) { program_ = &program; }
  void finished(const Instant& at) { result_ = join(result_, at); }

  /// The program has ended: T, the slot of the node before it, and the distance from that node.
  struct End {
    double T_ns;
    std::uint32_t slot;
    double onward_ns;
  };
  End end() {
    const HeldRef& last = result_.at.exists() ? result_.at : zero_;
    const double onward = last.weight.at(theta_);
    return {value_of(last.node()) + onward, last.node().slot, onward};
  }
  std::size_t slots() const noexcept { return nodes_.slots(); }
  std::size_t places() const noexcept { return serial_.size(); }
  std::vector<SlackPlace> take_places() { return std::move(numbers_.places); }
  std::vector<MessageKind> take_kinds() { return std::move(kinds_.kinds); }

 private:
  friend MessageJoins;

  const HeldRef& zero() const { return zero_; }
  Affine weight(const Cost& cost) const {
    return direction_.of(cost, program_->link_of(cost.message));
  }
  static bool keeps(const HeldRef&, const HeldRef&) { return false; }

  HeldRef join_nodes(const HeldRef& a, const HeldRef& b) {
    const HeldRef* const known = HeldRef::later(a, b);
    return known == nullptr ? keep(a, b) : *known;
  }

  HeldRef keep(const HeldRef& a, const HeldRef& b) {
    HeldRef joined = nodes_.keep(a, b);
    TapeStep step{.to = joined.node().slot,
                  .from = {a.node().slot, b.node().slot},
                  .weight = {a.weight.at(theta_), b.weight.at(theta_)}};
    const double first = value_of(a.node()) + step.weight[0];
    step.arrival = value_of(b.node()) + step.weight[1];
    if (values_.size() < nodes_.slots()) values_.resize(nodes_.slots());
    values_[step.to] = first > step.arrival ? first : step.arrival;
    tape_.add(step);
    return joined;
  }

  void hop(VertexId receive, std::uint8_t latencies) {
    const Program::Operation& own = (*program_)[receive];
    TapeStep& step = tape_.last();
    step.receive = receive;
    step.latencies = latencies;
    if (receive >= serial_.size()) serial_.resize(receive + std::size_t{1});
    step.first = std::exchange(serial_[receive], own.serial) != own.serial;
    step.kind = kinds_.of({.source = own.peer,
                           .destination = own.rank,
                           .received = numbers_.of(own.call, own.site),
                           .sent = numbers_.of(own.sender.call, own.sender.site),
                           .comm = own.comm,
                           .size = size_class(static_cast<std::uint64_t>(own.vertex.value))});
  }

  double value_of(const HeldNode& node) const { return node.name == 0 ? 0 : values_[node.slot]; }

  Direction direction_;
  double theta_;
  Tape& tape_;
  const Program* program_ = nullptr;
  HeldNodes nodes_;
  HeldRef zero_;
  Instant result_;
  std::vector<double> values_;         ///< by slot
  std::vector<std::uint64_t> serial_;  ///< by place of a receive: the last node with a hop
  PlaceNumbers<SlackPlace> numbers_;
  KindNumbers kinds_;
};

/// The backward pass. `tail`: the length of the longest path from each node on, by slot.
class GoingBack {
 public:
  GoingBack(const Taping::End& end, std::size_t slots, std::size_t places, double rounding,
            double latency_ns, StreamSlack& found)
      : T_ns_(end.T_ns),
        none_(rounding * end.T_ns),
        latency_ns_(latency_ns),
        found_(found),
        tail_(slots, kNoPath),
        open_(places) {
    tail_[end.slot] = end.onward_ns;
  }

  void visit(const TapeStep& step) {
    // Another node, which comes after this one, had the same slot.
    const double onward = std::exchange(tail_[step.to], kNoPath);
    for (int edge = 0; edge < 2; ++edge) {
      double& before = tail_[step.from[edge]];
      before = std::max(before, onward + step.weight[edge]);
    }
    if (!step.hops()) return;
    Open& message = open_[step.receive];
    message.left[message.hops] = std::max(0.0, T_ns_ - (step.arrival + onward));
    message.latencies[message.hops++] = step.latencies;
    if (step.first) found(step.kind, slack_of(message));
  }

 private:
  /// The hops of a message so far, the last one first.
  struct Open {
    double left[Hops::kMost];
    std::uint8_t latencies[Hops::kMost];
    std::uint8_t hops = 0;
  };

  static double slack_of(Open& message) {
    Hops hops;
    hops.hops = std::exchange(message.hops, std::uint8_t{0});
    for (std::uint8_t i = 0; i < hops.hops; ++i) {
      hops.hop[i] = hops.hops - 1U - i;
      hops.latencies[i] = message.latencies[hops.hop[i]];
    }
    return without_coming_back(hops, message.left);
  }

  void found(std::uint32_t kind, double slack) {
    found_.sums[kind].add(slack <= none_ ? 0 : slack, latency_ns_);
  }

  double T_ns_;
  double none_;
  double latency_ns_;
  StreamSlack& found_;
  std::vector<double> tail_;
  std::vector<Open> open_;
};

}  // namespace

StreamSlack stream_slack(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
                         const model::Network& network, const std::string& folder, double rounding,
                         const StreamOptions& options) {
  const auto ranks = static_cast<std::uint32_t>(pieces.ranks());
  check_stream(ranks, network);
  const model::Network priced = network.with_one_limit();
  Tape tape(folder);
  StreamSlack found;
  std::size_t slots = 0;
  std::size_t places = 0;
  Taping::End end{};
  {
    StreamFound counts;
    Crew crew = crew_for(options, ranks);
    Taping algebra(priced, tape);
    Streaming streaming(pieces, build, network, priced, algebra, options, crew);
    streaming.run(counts);
    end = algebra.end();
    slots = algebra.slots();
    places = algebra.places();
    found.places = algebra.take_places();
    found.kinds = algebra.take_kinds();
  }
  found.T_ns = end.T_ns;
  found.sums.resize(found.kinds.size());
  found.written = tape.bytes();
  GoingBack back(end, slots, places, rounding, network.classes[0].L, found);
  const auto bytes = static_cast<double>(pieces.bytes());
  tape.backwards([&](const TapeStep& step) { back.visit(step); },
                 [&](double share) {
                   if (options.progress)
                     options.progress(static_cast<std::uint64_t>(bytes * share));
                 });
  return found;
}

}  // namespace latitude::solve
