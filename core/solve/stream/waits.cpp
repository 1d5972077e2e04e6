#include "core/solve/stream/waits.hpp"

#include <algorithm>
#include <limits>

namespace latitude::solve {
namespace {

using graph::Kind;
using graph::VertexId;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Calls take(from, to) with all parts of [begin, end) that are outside, the latest first; the time
/// that is not.
template <class Take>
double outside(const Counted<Outside>& line, double begin, double end, Take take) {
  if (!line) {
    take(begin, end);
    return 0;
  }
  double within = 0;
  for (const Outside* part = line.get(); part != nullptr; part = part->before.get()) {
    if (!(begin < end) || !(begin < part->end)) break;
    const double to = std::min(part->end, end);
    const double from = std::max(part->begin, begin);
    within += end - to;
    if (from < to) take(from, to);
    end = from;
  }
  return within + (end - begin);
}

}  // namespace

void Outside::let_go(Outside* node) {
  while (node != nullptr) {  // no recursion: a list may be long
    Outside* const before = node->before.last();
    node->pool->give_back(node);
    node = before;
  }
}

void OnLine::let_go(OnLine* node) {
  while (node != nullptr) {
    OnLine* const before = node->line.last();
    static_cast<OnLineFacts&>(*node) = {};
    node->ends.clear();
    node->other = {};
    node->awaited = node->at_start = node->at_end = {};
    node->pool->give_back(node);
    node = before;
  }
}

OwnLines::OwnLines(const model::LogGPS& network, std::uint32_t ranks)
    : Lines(network), ranks_(ranks) {}

void OwnLines::comes(VertexId v, const Coming& coming) {
  Rank& rank = ranks_[coming.rank];
  Held held = vertices_.take();
  OnLine& vertex = *held;
  vertex.vertex = coming.vertex;
  vertex.rank = coming.rank;
  vertex.number = coming.number;
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
  if (v >= of_id_.size()) of_id_.resize(v + std::size_t{1});
  of_id_[v] = std::move(held);
}

/// Computation that no call does is before the call after it.
void OwnLines::find_place(Rank& rank, const Held& vertex) {
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

void OwnLines::place_all(Rank& rank, std::uint32_t place) {
  for (const Held& before : rank.computing) {
    before->place = place;
    before->placed = true;
  }
  rank.computing.clear();
}

Counted<Outside> OwnLines::starts(VertexId v, double ns) {
  const Held held = of_id_[v];
  OnLine& vertex = *held;
  Rank& rank = ranks_[vertex.rank];
  vertex.started = true;
  vertex.start_ns = ns;
  Before<OwnPoint>& before = vertex.before;
  if (vertex.line) {
    const OwnPoint point{At::release, vertex.line.get()};
    before.follows(point, time_of(point));
  }
  for (const Held& end : vertex.ends) before.depends({At::end, end.get()}, end->end_ns, true);
  vertex.other = Held(before.other.vertex);
  vertex.ends.clear();
  vertex.leaves_ns = vertex.beside && !vertex.first ? vertex.line->leaves_ns : before.line_ns;
  if (is_collective(vertex.call)) {
    const std::uint32_t origin = vertex.vertex.origin;
    if (!vertex.line || vertex.line->vertex.origin != origin) {
      vertex.at_start = longer({}, origin, -kNever, ns);
    } else {
      vertex.at_start = at_release(*vertex.line);
      if (vertex.other) {
        const bool same = vertex.other->vertex.origin == origin;
        vertex.at_start = longer_by(same ? vertex.other->at_end : Counted<Outside>(),
                                    vertex.at_start, origin, before.line_ns, before.latest_ns);
      }
    }
  }
  if (!vertex.beside || vertex.first) {  // nobody asks for what is before that
    before.line = {};
    vertex.line = {};
  }
  if (!vertex.beside) {
    if (!vertex.vertex.chained || !from_point_to_point(vertex)) judge(rank);
    if (runs_on(vertex.vertex)) passes(rank, held);
  }
  return vertex.at_start;
}

void OwnLines::awaits(VertexId v, double ns, const Counted<Outside>& outside) {
  OnLine& vertex = *of_id_[v];
  vertex.awaits = true;
  vertex.awaited_ns = ns;
  vertex.awaited = outside;
}

Counted<Outside> OwnLines::ends(VertexId v, const graph::Vertex& now, double ns) {
  const Held held = of_id_[v];
  OnLine& vertex = *held;
  vertex.ended = true;
  vertex.end_ns = ns;
  if (now.kind == Kind::recv) vertex.vertex.receives(now);
  if (is_collective(vertex.call)) {
    const std::uint32_t origin = vertex.vertex.origin;
    double from = vertex.start_ns;
    double late = from;
    if (vertex.vertex.kind == Kind::recv) {
      late = received(held.get(), vertex.awaited_ns).late;
    } else if (vertex.vertex.kind == Kind::send && rendezvous(vertex.vertex)) {
      const Sent parts = sent(held.get(), vertex.to_itself, awaited(held.get()));
      from = parts.held;
      late = parts.late;
    }
    vertex.at_end = longer_by(vertex.awaited, vertex.at_start, origin, from, late);
  }
  Rank& rank = ranks_[vertex.rank];
  if (!vertex.beside && !runs_on(vertex.vertex)) passes(rank, held);
  return vertex.at_end;
}

/// The line, and outside besides in [begin, end), which comes after all that it has.
Counted<Outside> OwnLines::longer(const Counted<Outside>& line, std::uint32_t origin, double begin,
                                  double end) {
  Counted<Outside> part = outsides_.take();
  part->origin = origin;
  part->end = end;
  const bool goes_on = line && line->end == begin;
  part->begin = goes_on ? line->begin : begin;
  part->before = goes_on ? line->before : line;
  return part;
}

/// The line, on which [begin, end) is a stretch of the other one; of none: all outside.
Counted<Outside> OwnLines::longer_by(const Counted<Outside>& other, Counted<Outside> line,
                                     std::uint32_t origin, double begin, double end) {
  if (!(begin < end)) return line;
  parts_.clear();
  outside(other, begin, end, [&](double from, double to) { parts_.emplace_back(from, to); });
  for (std::size_t i = parts_.size(); i-- > 0;) {
    line = longer(line, origin, parts_[i].first, parts_[i].second);
  }
  return line;
}

/// No more receives come right after those in the row.
void OwnLines::judge(Rank& rank) const {
  double first_sent = kNever;
  for (std::size_t i = rank.row.size(); i-- > 0;) {
    OnLine& receive = *rank.row[i];
    receive.older = first_sent < received(&receive, receive.awaited_ns).late;
    receive.judged = true;
    first_sent = std::min(first_sent, receive.awaited_ns);
  }
  rank.row.clear();
}

/// The main line has come to where the CPU leaves the vertex.
void OwnLines::passes(Rank& rank, const Held& vertex) {
  rank.now_ns = time_of({At::release, vertex.get()});
  rank.now = vertex->number;
  if (from_point_to_point(*vertex)) {
    rank.row.push_back(vertex);
    if (rank.row.size() == kMostInRow) judge(rank);
  }
  take(rank);
}

/// What is known of the main line is taken.
void OwnLines::take(Rank& rank) {
  const auto left_behind = [&](const OnLine& loose) {
    return loose.ended && loose.end_ns <= rank.now_ns && loose.number < rank.now;
  };
  while (!rank.main.empty()) {
    const Held& next = rank.main.front();
    const bool done = next->ended || (next->started && runs_on(next->vertex));
    if (!done || !next->placed || !next->judged) return;
    while (!rank.loose.empty() && left_behind(*rank.loose.front().vertex)) rank.loose.pop_front();
    if (!rank.loose.empty() && rank.loose.front().from <= next->turn) return;
    take({.point = {At::release, next.get()}, .from = next->before.line_ns});
    rank.main.pop_front();
  }
}

void OwnLines::take(OwnStretch line) {
  stretches_.push_back(line);
  while (!stretches_.empty()) {
    line = stretches_.back();
    stretches_.pop_back();
    follow(line);
  }
}

void OwnLines::joins(const OwnStretch& line, Point other, double from, Ref v, bool is_end) {
  OwnStretch stretch = line;
  stretch.point = other;
  stretch.from = from;
  if (is_end && !stretch.inside && v->vertex.origin != graph::kNoOrigin) {
    stretch.inside = true;
    stretch.within = v->place;
  }
  stretches_.push_back(stretch);
}

std::uint32_t OwnLines::place_at(const OwnStretch& line, Ref v) {
  if (v->vertex.origin == graph::kNoOrigin) return v->place;
  return places_.both(line.inside ? line.within : v->completed, v->place);
}

bool OwnLines::spend(const OwnStretch& line, double begin, double end, Activity activity, Ref v) {
  if (!(begin < end)) return true;
  const std::uint32_t place = place_at(line, v);
  const std::uint64_t key =
      (std::uint64_t{v->rank} << 32 | place) * kActivities + static_cast<std::size_t>(activity);
  spent_.row(key, {v->rank, place, activity}).ns += end - std::max(begin, line.from);
  return line.from < begin;
}

bool OwnLines::wait(const OwnStretch& line, double begin, double end, Cause cause, Ref v,
                    const Awaited&) {
  if (!(begin < end)) return true;
  const std::uint32_t place = place_at(line, v);
  const double from = std::max(begin, line.from);
  if (is_collective(v->call)) {
    double late = 0;
    const double within =
        outside(v->awaited, from, end, [&](double out, double in) { late += in - out; });
    add_wait(v, place, cause, late);
    add_wait(v, place, Cause::completion, within);
  } else {
    add_wait(v, place, cause, end - from);
  }
  return line.from < begin;
}

void OwnLines::add_wait(Ref v, std::uint32_t place, Cause cause, double ns) {
  if (ns == 0) return;
  const std::uint64_t key =
      (std::uint64_t{v->rank} << 32 | place) * kCauses + static_cast<std::size_t>(cause);
  waits_.row(key, {v->rank, place, cause}).ns += ns;
}

/// The rank's line goes back from the last end, of equal ones that of the last vertex.
void OwnLines::finish(Rank& rank) {
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
  for (; !rank.main.empty() && rank.main.front()->turn < from; rank.main.pop_front()) {
    const Held& next = rank.main.front();
    take({.point = {At::release, next.get()}, .from = next->before.line_ns});
  }
  if (loose != nullptr) take({.point = {At::end, loose}, .from = loose->leaves_ns});
}

Waits OwnLines::finish() {
  for (Rank& rank : ranks_) finish(rank);
  Waits found;
  found.places = places_.list();
  found.spent = std::move(spent_).sorted();
  found.waits = std::move(waits_).sorted();
  return found;
}

}  // namespace latitude::solve
