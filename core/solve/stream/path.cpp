#include "core/solve/stream/path.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/crew.hpp"
#include "core/flat_map.hpp"
#include "core/solve/efficiency.hpp"
#include "core/solve/prices.hpp"
#include "core/solve/schedule.hpp"
#include "core/solve/stream/place_numbers.hpp"
#include "core/solve/stream/streaming.hpp"
#include "core/solve/stream/waits.hpp"

namespace latitude::solve {
namespace {

using graph::Kind;
using graph::VertexId;

/// Algebra of Lowering that follows the longest path to each instant.
class Surviving {
 public:
  struct Instant {
    double time = 0;
    double ideal_ns = 0;  ///< time of the instant if messages cost nothing
    // The parts between `via` and this instant:
    double ns = 0;  ///< computation and copying
    double latency_ns = 0;
    double gap_ns = 0;
    double overhead_ns = 0;
    double bytes = 0;
    std::uint16_t latencies = 0;
    std::uint16_t overheads = 0;
    SurvivorRef via;  ///< the event that decided it
    Counted<OnLine>
        line;  ///< the vertex that starts, is released or ends at this instant; none: time zero
  };
  using Program = LiveProgram<Instant>;

  /// Options: approximate maxima of the stored sums of paths, and of operations on lines; `chosen`:
  /// see Survivors.
  Surviving(const model::Network& network, std::uint32_t ranks, const StreamOptions& options,
            std::vector<std::uint32_t> chosen)
      : network_(network),
        most_sums_(options.sums),
        ranks_(ranks),
        lines_(network, ranks, options.on_lines),
        tree_(std::move(chosen)),
        origin_(tree_.make({})) {}

  void runs(const Program& program) { program_ = &program; }

  Instant origin() const {
    Instant at;
    at.via = origin_;
    return at;
  }

  Instant add(Instant at, const Cost& cost) const {
    const model::ClassId link = program_->link_of(cost.message);
    charge(at, cost, link);
    at.time += price_of(cost, network_, link).ns;
    if (cost.calc != graph::kNoVertex) {
      at.ideal_ns += static_cast<double>((*program_)[cost.calc].vertex.value);
    }
    return at;
  }

  static Instant join(const Instant& a, const Instant& b) {
    Instant later = b.time > a.time ? b : a;
    later.ideal_ns = std::max(a.ideal_ns, b.ideal_ns);
    return later;
  }

  /// The start of a vertex other than a send is needed only if it is on the path; its place is then
  /// that of the event that decided it.
  Instant started(VertexId v, const Instant& at) {
    lines_.starts(v, at.time);
    const bool sends = (*program_)[v].vertex.kind == Kind::send;
    if (!sends && nothing(at)) return at;
    Instant here = reached(v, Event::start_of(v), at);
    here.line = lines_.of_id(v);
    return here;
  }

  Instant ended(VertexId v, const Instant& at) {
    const Program::Operation& operation = (*program_)[v];
    StreamRank& rank = ranks_[operation.rank];
    rank.end_ns = std::max(rank.end_ns, at.time);
    if (operation.vertex.kind == Kind::recv) {
      rank.overhead_ns += own_ns(operation.vertex, network_, operation.link);
    }
    Instant here = reached(v, Event::end_of(v), at);
    lines_.ends(v, (*program_)[v].vertex, at.time);
    here.line = lines_.of_id(v);
    return here;
  }

  void awaits(VertexId v, const Instant& at) {
    const graph::Vertex& vertex = (*program_)[v].vertex;
    const bool receives = vertex.kind == Kind::recv;  // the send of a receive may have left
    lines_.awaits(v, at.time, at.line,
                  (receives ? at.line->vertex : (*program_)[vertex.partner].vertex).origin);
  }

  void finished(const Instant& at) {
    ideal_ns_ = std::max(ideal_ns_, at.ideal_ns);
    const auto order = [](const Instant& of) {
      return std::tuple(-of.time, of.via.node().rank, of.via.node().number);
    };
    if (!last_.via.exists() || order(at) < order(last_)) last_ = at;
  }

  // Streaming calls these functions only for operations that exist.

  void left(std::uint32_t rank) { lines_.left(rank); }

  void called(const graph::CallRecord& call) { ++numbers_.places[place_of(call)].calls; }

  void came(VertexId v) {
    const Program::Operation& operation = (*program_)[v];
    const std::int64_t value = operation.vertex.value;
    StreamRank& rank = ranks_[operation.rank];
    if (operation.vertex.kind == Kind::send) {
      rank.overhead_ns += own_ns(operation.vertex, network_, operation.link);
      numbers_.places[place_of(operation)].bytes_sent += static_cast<std::uint64_t>(value);
      return;
    }
    if (operation.vertex.recorded) {
      rank.overhead_ns += own_ns(operation.vertex, network_, operation.link);
      return;
    }
    rank.calc_ns += static_cast<double>(value) * network_.base.compute_scale;
    if (operation.call == trace::Call::count_) rank.useful_ns += static_cast<double>(value);
  }

  void met(VertexId recv) {
    const Program::Operation& operation = (*program_)[recv];
    const std::int64_t value = operation.vertex.value;
    const auto bytes = static_cast<std::uint64_t>(value);
    numbers_.places[place_of(operation)].bytes_received += bytes;
    if (operation.to_itself) return;
    Messages& messages = messages_[std::uint64_t{operation.peer} << 32 | operation.rank];
    ++messages.count;
    messages.bytes += bytes;
  }

  void comes(VertexId v, const graph::Vertex& vertex, const RankBatch::Call& call,
             std::span<const graph::Dep> deps) {
    if (tree_.sums() > most_sums_) tree_.cut();
    const Program::Operation& operation = (*program_)[v];
    LiveLines::Coming coming{.vertex = vertex,
                             .rank = operation.rank,
                             .number = operation.number,
                             .own = {.call = operation.call, .site = operation.site},
                             .completes = {.call = call.call, .site = call.site},
                             .beside = call.beside,
                             .partner_rank = operation.peer,
                             .link = operation.link,
                             .to_itself = operation.to_itself,
                             .deps = deps};
    if (call.call == trace::Call::count_) coming.completes = coming.own;
    lines_.comes(v, coming);
  }

  /// The nodes to choose in another pass, so that the whole path is known; empty: no part is
  /// missing.
  std::vector<std::uint32_t> cuts() const {
    return last_.via.exists() ? tree_.cuts_on(last_.via) : std::vector<std::uint32_t>{};
  }
  StreamPath finish();

 private:
  struct Messages {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };

  template <class Called>
  std::uint32_t place_of(const Called& of) {
    return numbers_.of(of.call, of.site);
  }

  /// Adds a cost on a link to the parts of `at` since `via`, but not to its time.
  void charge(Instant& at, const Cost& cost, model::ClassId link) const {
    const Price price = price_of(cost, network_, link);
    at.ns += price.rest_ns;
    at.latency_ns += price.latency_ns;
    at.gap_ns += price.gap_ns;
    at.overhead_ns += price.overhead_ns;
    at.bytes += cost.bytes;
    at.latencies = static_cast<std::uint16_t>(at.latencies + cost.latencies);
    at.overheads = static_cast<std::uint16_t>(at.overheads + cost.overheads);
  }

  static bool nothing(const Instant& at) {
    return at.ns == 0 && at.latencies == 0 && at.overheads == 0 && at.bytes == 0;
  }

  /// Makes a node for an event, with the parts between the event and the event that decided it.
  Instant reached(VertexId v, Event event, const Instant& at) {
    const Program::Operation& own = (*program_)[v];
    const Survivor& before = at.via.node();
    SurvivorRef ref = tree_.make(at.via);
    Survivor& node = Survivors::node(ref);
    const std::uint32_t place = place_of(own);
    const bool other = before.vertex != 0 && before.vertex != own.serial;
    // Here Event cannot tell vertices apart, because other vertices may have taken their places:
    // `other` can.
    switch (whose(event, before.start ? Event::start_of(v) : Event::end_of(v), other,
                  before.kind == Kind::send)) {
      case Whose::earlier:
        if (!nothing(at)) add(node, of(before), before.vertex, at);
        break;
      case Whose::both: {
        Instant sent;
        charge(sent,
               part_of_send(before.gap_bytes,
                            own.vertex.kind == Kind::recv && own.sender.serial == before.vertex,
                            before.recorded),
               before.link);
        add(node, of(before), before.vertex, sent);
        Instant rest = at;
        rest.ns -= sent.ns;
        rest.overhead_ns -= sent.overhead_ns;
        rest.overheads = static_cast<std::uint16_t>(rest.overheads - sent.overheads);
        add(node, of(own, place), own.serial, rest);
        break;
      }
      case Whose::own:
        add(node, of(own, place), own.serial, at);
        break;
    }
    node.vertex = own.serial;
    node.rank = own.rank;
    node.number = own.number;
    node.place = place;
    node.start = event.is_start();
    node.kind = own.vertex.kind;
    node.recorded = own.vertex.recorded;
    node.link = own.link;
    node.gap_bytes = model::gap_bytes(own.vertex.value);
    Instant here;
    here.time = at.time;
    here.ideal_ns = at.ideal_ns;
    here.via = std::move(ref);
    return here;
  }

  /// A piece without length, for the vertex of a past event: it contains no price of a message.
  static PathPiece of(const Survivor& before) {
    return {.place = before.place,
            .rank = before.rank,
            .computes = before.kind == Kind::calc && !before.recorded};
  }
  PathPiece of(const Program::Operation& own, std::uint32_t place) {
    const bool receives = own.vertex.kind == Kind::recv;
    return {.place = place,
            .sender_place = receives ? place_of(own.sender) : 0,
            .rank = own.rank,
            .peer = own.peer,
            .computes = own.vertex.computes(),
            .receives = receives};
  }

  void add(Survivor& node, PathPiece piece, std::uint64_t vertex, const Instant& length) {
    piece.begins = std::exchange(node.last_step, vertex) != vertex;
    piece.latencies = length.latencies;
    piece.overheads = length.overheads;
    piece.ns = length.ns;
    piece.latency_ns = length.latency_ns;
    piece.gap_ns = length.gap_ns;
    piece.overhead_ns = length.overhead_ns;
    piece.bytes = length.bytes;
    piece.time_ns = length.ns + length.overhead_ns + length.latency_ns + length.gap_ns;
    Survivors::add(node, piece);
  }

  const model::Network& network_;
  std::size_t most_sums_;
  const Program* program_ = nullptr;
  PlaceNumbers<StreamPlace> numbers_;
  std::vector<StreamRank> ranks_;
  FlatMap<std::uint64_t, Messages> messages_;  ///< by source << 32 | destination
  LiveLines lines_;
  Survivors tree_;
  SurvivorRef origin_;
  Instant last_;
  double ideal_ns_ = 0;
};

StreamPath Surviving::finish() {
  StreamPath found;
  found.T_ns = last_.time;
  found.ideal_ns = ideal_ns_;
  found.survivors = tree_.most();
  found.waits = lines_.finish();
  found.on_lines = lines_.most();
  PathSums sums = Survivors::path(last_.via);
  sums.add(tree_.before_cuts());

  std::vector<StreamPlace>& places = numbers_.places;
  sums.places.each([&](std::uint64_t place, const PlaceOnPath& on) { places[place].on_path = on; });
  std::vector<std::uint32_t> order(places.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order.begin() + 1, order.end(), {},
                    [&](std::uint32_t i) { return std::pair(places[i].call, places[i].site); });
  std::vector<std::uint32_t> number(places.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    found.places.push_back(places[order[i]]);
  }

  found.ranks = std::move(ranks_);
  sums.ranks.each([&](std::uint64_t rank, double ns) { found.ranks[rank].path_ns = ns; });

  messages_.each([&](std::uint64_t ends, const Messages& messages) {
    const PairOnPath* const on_path = sums.pairs.find(ends);
    found.pairs.push_back({static_cast<std::uint32_t>(ends >> 32), static_cast<std::uint32_t>(ends),
                           messages.count, messages.bytes,
                           on_path == nullptr ? PairOnPath{} : *on_path});
  });
  std::ranges::sort(found.pairs, {}, [](const StreamPair& pair) {
    return std::pair(pair.source, pair.destination);
  });
  sums.senders.each([&](std::uint64_t ends, std::uint64_t latencies) {
    found.senders.push_back(
        {number[ends >> 32], number[static_cast<std::uint32_t>(ends)], latencies});
  });
  std::ranges::sort(found.senders, {}, [](const StreamSender& sender) {
    return std::pair(sender.received, sender.sent);
  });
  return found;
}

}  // namespace

StreamPath stream_path(const trace::native::Pieces& pieces, const graph::BuildOptions& build,
                       const model::Network& network, const StreamOptions& options) {
  const auto ranks = static_cast<std::uint32_t>(pieces.ranks());
  check_stream(ranks, network);
  const model::Network priced = network.with_one_limit();
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t passes = 1;; ++passes) {
    StreamFound counts;
    Crew crew = crew_for(options, ranks);
    Surviving algebra(priced, ranks, options, chosen);
    Streaming streaming(pieces, build, network, priced, algebra, options, crew);
    streaming.run(counts);
    if (chosen.empty()) chosen = algebra.cuts();
    if (chosen.empty() || passes == 2) {
      StreamPath found = algebra.finish();
      found.passes = passes;
      return found;
    }
  }
}

}  // namespace latitude::solve
