#include "core/solve/stream/waits.hpp"

#include <algorithm>
#include <limits>

namespace latitude::solve {
namespace {

using graph::Kind;
using graph::VertexId;

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kAllTurns = std::numeric_limits<std::uint32_t>::max();

/// Number of vertices between two searches for data that can be dropped.
constexpr std::size_t kLookEvery = 256;

/// The cause of a wait is followed as soon as the wait is known: no data are stored to resume it.
constexpr Effort kEffort{.first = 4096};

}  // namespace

void OnLine::let_go(OnLine* node) {
  while (node != nullptr) {
    OnLine* const before = node->line.last();
    static_cast<OnLineFacts&>(*node) = {};
    node->ends.clear();
    node->other = node->awaited = {};
    node->pool->give_back(node);
    node = before;
  }
}

LiveLines::LiveLines(const model::Network& network, std::uint32_t ranks, std::size_t most)
    : Following(network, kEffort), most_(most), ranks_(ranks) {}

void LiveLines::comes(VertexId v, const Coming& coming) {
  Rank& rank = ranks_[coming.rank];
  Held held = vertices_.take();
  OnLine& vertex = *held;
  vertex.vertex = coming.vertex;
  vertex.rank = coming.rank;
  vertex.number = coming.number;
  vertex.partner_rank = coming.partner_rank;
  vertex.link = coming.link;
  vertex.to_itself = coming.to_itself;
  if (coming.vertex.origin != graph::kNoOrigin) {
    vertex.call = coming.own.call;
    vertex.place = places_.of(coming.own.call, coming.own.site);
    vertex.completed = places_.of(coming.completes.call, coming.completes.site);
  }
  vertex.beside = coming.beside != RankBatch::Beside::no;
  vertex.first = coming.beside == RankBatch::Beside::first;
  vertex.turn = rank.turns;
  vertex.judged = !from_point_to_point(vertex);
  vertex.line = vertex.beside && !vertex.first ? rank.beside : rank.last;
  for (const graph::Dep& dep : coming.deps) {
    if (dep.kind == graph::DepKind::requires_end) vertex.ends.push_back(of_id_[dep.vertex]);
  }
  find_place(rank, held);
  if (vertex.beside || runs_on(vertex.vertex)) rank.loose.push_back({held, rank.turns});
  if (vertex.beside) {
    rank.beside = held;
  } else {
    ++rank.turns;
    rank.last = held;
    rank.main.push_back(held);
  }
  (vertex.beside ? rank.past_beside : rank.past).push_back(held);
  if (v >= of_id_.size()) of_id_.resize(v + std::size_t{1});
  of_id_[v] = std::move(held);
  if (++came_ >= std::max(kLookEvery, 2 * ranks_.size())) forget();
}

/// Releases references, because vertices may refer to each other: a send refers to the posting of
/// its receive, which may come after it.
LiveLines::~LiveLines() {
  const auto all = [](const auto& vertices) {
    for (const Held& vertex : vertices) {
      forget_before(*vertex);
      vertex->awaited = {};
    }
  };
  for (const Rank& rank : ranks_) {
    all(rank.past);
    all(rank.past_beside);
    all(rank.open);
  }
}

/// Computation outside calls has the place of the next call.
void LiveLines::find_place(Rank& rank, const Held& vertex) {
  const bool recorded = vertex->vertex.origin != graph::kNoOrigin;
  const bool computes = vertex->vertex.kind == Kind::calc;
  if (!vertex->vertex.chained || (!recorded && !computes)) {
    place_all(rank, 0);
  } else if (recorded) {
    place_all(rank, vertex->completed);
  }
  vertex->placed = recorded || !computes;
  if (!vertex->placed) rank.computing.push_back(vertex);
}

void LiveLines::place_all(Rank& rank, std::uint32_t place) {
  if (rank.computing.empty()) return;
  for (const Held& before : rank.computing) {
    before->place = place;
    before->placed = true;
  }
  const std::uint32_t number = rank.computing.front()->rank;
  for (const Owed& owed : rank.owed) {
    count(number, place, owed.activity, owed.row, owed.ns, owed.is_direct);
  }
  rank.computing.clear();
  rank.owed.clear();
}

void LiveLines::starts(VertexId v, double ns) {
  const Held held = of_id_[v];
  OnLine& vertex = *held;
  Rank& rank = ranks_[vertex.rank];
  vertex.started = true;
  vertex.start_ns = ns;
  Before<LivePoint>& before = vertex.before;
  if (vertex.line) {
    const LivePoint point{At::release, vertex.line.get()};
    before.follows(point, time_of(point));
  }
  for (const Held& end : vertex.ends) before.depends({At::end, end.get()}, end->end_ns, true);
  vertex.other = Held(before.other.vertex);
  vertex.ends.clear();
  vertex.leaves_ns = vertex.beside && !vertex.first ? vertex.line->leaves_ns : before.line_ns;
  if (!vertex.beside) {
    if (!vertex.vertex.chained || !from_point_to_point(vertex)) judge(rank);
    if (runs_on(vertex.vertex)) passes(rank, held);
  }
}

void LiveLines::awaits(VertexId v, double ns, const Counted<OnLine>& on, std::uint32_t origin) {
  OnLine& vertex = *of_id_[v];
  vertex.awaits = true;
  vertex.awaited_ns = ns;
  vertex.awaited = on;
  vertex.partner_origin = origin;
}

void LiveLines::ends(VertexId v, const graph::Vertex& now, double ns) {
  const Held held = of_id_[v];
  OnLine& vertex = *held;
  vertex.ended = true;
  vertex.end_ns = ns;
  if (now.kind == Kind::recv) vertex.vertex.receives(now);
  Rank& rank = ranks_[vertex.rank];
  if (!vertex.beside && !runs_on(vertex.vertex)) passes(rank, held);
}

/// Looks for wrong order in the row, after which no more receives follow immediately.
void LiveLines::judge(Rank& rank) const {
  double first_sent = kNever;
  for (std::size_t i = rank.row.size(); i-- > 0;) {
    OnLine& receive = *rank.row[i];
    receive.older = first_sent < received(&receive, receive.awaited_ns).late;
    receive.judged = true;
    first_sent = std::min(first_sent, receive.awaited_ns);
  }
  rank.row.clear();
}

/// Reports that the main line has reached the point at which the CPU leaves the vertex.
void LiveLines::passes(Rank& rank, const Held& vertex) {
  rank.now_ns = time_of({At::release, vertex.get()});
  rank.now = vertex->number;
  if (from_point_to_point(*vertex)) {
    rank.row.push_back(vertex);
    if (rank.row.size() == kMostInRow) judge(rank);
  }
  take(rank);
}

bool LiveLines::left_behind(const Rank& rank, const OnLine& vertex) const {
  return vertex.ended && vertex.end_ns <= rank.now_ns && vertex.number < rank.now;
}

/// Processes the known part of the main line.
void LiveLines::take(Rank& rank) {
  while (!rank.main.empty()) {
    const Held& next = rank.main.front();
    const bool done = next->ended || (next->started && runs_on(next->vertex));
    if (!done || !next->placed || !next->judged) return;
    while (!rank.loose.empty() && left_behind(rank, *rank.loose.front().vertex)) {
      rank.loose.pop_front();
    }
    if (!rank.loose.empty() && rank.loose.front().from <= next->turn) return;
    take_main(rank);
  }
}

/// Processes the next vertex of the main line.
void LiveLines::take_main(Rank& rank) {
  const LivePoint point{At::release, rank.main.front().get()};
  take_own(point, point.vertex->before.line_ns);
  rank.taken_ns = time_of(point);
  rank.main.pop_front();
}

void LiveLines::take_own(LivePoint point, double from) {
  Line line;
  line.point = point;
  line.from = from;
  line.line = point.vertex->rank;
  follow_own(line);
}

void LiveLines::spent(const Line& line, double begin, double end, Activity activity, Ref v) {
  const std::uint32_t at = place(v, line.inside);
  const std::uint64_t key =
      (std::uint64_t{v->rank} << 32 | at) * kActivities + static_cast<std::size_t>(activity);
  spent_.row(key, {v->rank, at, activity}).ns += end - begin;
}

void LiveLines::delayed(const Line& line, Activity activity, Ref v, std::uint32_t row, double ns) {
  const bool is_direct = line.whom == Whom::direct;
  if (v->placed) {
    count(v->rank, place(v, line.inside), activity, row, ns, is_direct);
  } else {
    ranks_[v->rank].owed.push_back({activity, row, ns, is_direct});
  }
}

void LiveLines::left(std::uint32_t rank) {
  ranks_[rank].complete = true;
  place_all(ranks_[rank], 0);
  judge(ranks_[rank]);
  take(ranks_[rank]);
}

/// The time before which the rank no longer needs any line.
double LiveLines::asked_from(const Rank& rank) const {
  const bool taken =
      rank.complete && rank.main.empty() && std::ranges::all_of(rank.loose, [&](const Loose& each) {
        return left_behind(rank, *each.vertex);
      });
  return taken ? kNever : rank.taken_ns;
}

/// Drops the data that no rank needs any more; if too much would stay, also data that other ranks
/// may need.
void LiveLines::forget() {
  came_ = 0;
  double until = kNever;
  for (const Rank& rank : ranks_) until = std::min(until, asked_from(rank));
  for (Rank& rank : ranks_) {
    forget(rank, rank.past, until, kAllTurns);
    forget(rank, rank.past_beside, until, kAllTurns);
    forget_open(rank, until);
  }
  if (vertices_.size() <= most_) return;
  for (Rank& rank : ranks_) {
    forget(rank, rank.past, kNever, rank.main.empty() ? rank.turns : rank.main.front()->turn);
    forget_open(rank, kNever);
  }
}

void LiveLines::forget_before(OnLine& vertex) {
  vertex.before.line = vertex.before.other = {};
  vertex.line = vertex.other = {};
}

/// Drops the vertices that their lines leave up to the turn `turn`.
void LiveLines::forget(Rank& rank, std::deque<Held>& past, double until, std::uint32_t turn) {
  for (; !past.empty(); past.pop_front()) {
    OnLine& vertex = *past.front();
    const bool ended = ended_by(vertex, until);
    const bool leaves = ended || (vertex.started && runs_on(vertex.vertex) &&
                                  time_of({At::release, &vertex}) <= until);
    if (!leaves || vertex.turn >= turn) break;
    forget_before(vertex);
    if (ended) {
      vertex.awaited = {};
    } else {
      rank.open.push_back(past.front());
    }
  }
}

void LiveLines::forget_open(Rank& rank, double until) {
  std::erase_if(rank.open, [&](const Held& send) {
    const bool ended = ended_by(*send, until);
    if (ended) send->awaited = {};
    return ended;
  });
}

/// The rank's line goes back from the last end; among equally late ends, from that of the last
/// vertex.
void LiveLines::finish(Rank& rank) {
  place_all(rank, 0);
  judge(rank);
  const OnLine* last = nullptr;
  std::uint32_t from = rank.turns;
  if (rank.last && !runs_on(rank.last->vertex)) last = rank.last.get();
  OnLine* loose = nullptr;
  for (const Loose& each : rank.loose) {
    OnLine& vertex = *each.vertex;
    const bool later = last == nullptr || vertex.end_ns > last->end_ns ||
                       (vertex.end_ns == last->end_ns && vertex.number > last->number);
    if (!later) continue;
    last = loose = &vertex;
    from = each.from;
  }
  while (!rank.main.empty() && rank.main.front()->turn < from) take_main(rank);
  if (loose != nullptr) take_own({At::end, loose}, loose->leaves_ns);
}

Waits LiveLines::finish() {
  for (Rank& rank : ranks_) finish(rank);
  Waits found;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
    found.lines.push_back({rank, {.kind = graph::Resource::Kind::thread}});
  found.places = places_.list();
  found.spent = std::move(spent_).sorted();
  take_tables(found);
  return found;
}

}  // namespace latitude::solve
