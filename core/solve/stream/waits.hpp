#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/loggps.hpp"
#include "core/solve/lines.hpp"
#include "core/solve/stream/counted.hpp"
#include "core/solve/stream/read_ahead.hpp"
#include "core/solve/wait_tables.hpp"
#include "core/solve/waits.hpp"

namespace latitude::solve {

/// Times of a rank's line, since it has entered a collective, at which it is outside: it waits for
/// a rank that has not entered, itself or through others. A list, the latest first; the last is all
/// of the time before it entered. Lines that have a part in common share it.
struct Outside {
  Pool<Outside>* pool = nullptr;
  std::uint32_t holders = 0;
  std::uint32_t origin = graph::kNoOrigin;  ///< the call, by the rank's own numbers
  double begin = 0;
  double end = 0;
  Counted<Outside> before;

  static void let_go(Outside* node);
};

struct OnLine;
using OwnPoint = PointOf<static_cast<OnLine*>(nullptr)>;

/// A vertex on a rank's line, but for what it refers to.
struct OnLineFacts {
  graph::Vertex vertex;
  std::uint32_t rank = 0;
  graph::VertexId number = 0;              ///< in its rank
  std::uint32_t turn = 0;                  ///< how many are before it on the rank's main line
  trace::Call call = trace::Call::count_;  ///< whose it is
  std::uint32_t place = 0;                 ///< of that; of computation: of the call after it
  std::uint32_t completed = 0;             ///< of the call that completes it
  bool beside = false;                     ///< inside a non-blocking collective
  bool first = false;                      ///< there
  bool to_itself = false;
  bool placed = false;  ///< `place` is known
  bool judged = false;  ///< `older` is known
  bool older = false;   ///< a message that is received right after its own was sent before
  bool started = false;
  bool ended = false;
  bool awaits = false;  ///< `awaited_ns` is known
  double start_ns = 0;
  double end_ns = 0;
  double awaited_ns = 0;  ///< when the other end of its message was there
  double leaves_ns = 0;   ///< when its line leaves the rank's main line
  Before<OwnPoint> before;
};
struct OnLine : OnLineFacts {
  Pool<OnLine>* pool = nullptr;
  std::uint32_t holders = 0;
  /// What is before it: until it starts, and beside the main line for as long as it is there.
  Counted<OnLine> line;
  std::vector<Counted<OnLine>> ends;  ///< whose ends it waits for, until it starts
  Counted<OnLine> other;              ///< of `before`
  Counted<Outside> awaited;           ///< none: its rank has not entered the call then
  Counted<Outside> at_start;          ///< in collectives
  Counted<Outside> at_end;

  static void let_go(OnLine* node);
};

/// A stretch of a rank's own line.
struct OwnStretch {
  OwnPoint point;
  double from = 0;
  bool inside = false;       ///< a call waits for all of it:
  std::uint32_t within = 0;  ///< its place
};

/// Sums what Waits has of spent time and waits while the vertices of a program come and go: by the
/// same Lines, of which each rank's own is taken as far as it is known. What is kept are vertices
/// on it that something to come may still say more of, and those that are beside it.
class OwnLines : private Lines<OwnLines, OwnStretch> {
 public:
  /// Receives in a row that are looked at together for one whose message was sent earlier.
  static constexpr std::size_t kMostInRow = 65536;

  OwnLines(const model::LogGPS& network, std::uint32_t ranks);

  /// What there is to know of a vertex when it comes; of each rank in the order of their numbers.
  struct Coming {
    graph::Vertex vertex;
    std::uint32_t rank = 0;
    graph::VertexId number = 0;
    Place own;        ///< the call that it is of
    Place completes;  ///< the one that completes it
    RankBatch::Beside beside = RankBatch::Beside::no;
    bool to_itself = false;
    std::span<const graph::Dep> deps;  ///< of these, by their ids
  };
  void comes(graph::VertexId v, const Coming& coming);

  /// The line where v starts; none outside collectives.
  Counted<Outside> starts(graph::VertexId v, double ns);
  /// Before `ends`: when the other end of the message of v was there, and the line there.
  void awaits(graph::VertexId v, double ns, const Counted<Outside>& outside);
  /// With what its message says of its size. The line where v ends.
  Counted<Outside> ends(graph::VertexId v, const graph::Vertex& vertex, double ns);

  /// All have ended.
  Waits finish();

  /// Vertices that were kept at a time, at most.
  std::size_t most() const noexcept { return vertices_.most(); }

 private:
  friend Lines;
  using Held = Counted<OnLine>;
  using Ref = OnLine*;

  /// What may be at the end of the rank's line, as nothing has waited for it yet.
  struct Loose {
    Held vertex;
    std::uint32_t from = 0;  ///< the first turn of the main line that is not on its line
  };

  struct Rank {
    Held last;    ///< to come, on the main line
    Held beside;  ///< the same of the non-blocking collective in hand
    std::uint32_t turns = 0;
    std::deque<Held> main;  ///< to be taken
    std::deque<Loose> loose;
    std::vector<Held> computing;  ///< before a call that has not come
    std::vector<Held> row;        ///< receives one after the other, with nothing in between
    double now_ns = 0;            ///< the main line has come so far
    graph::VertexId now = 0;      ///< with this vertex
  };

  // Of Lines.
  static const graph::Vertex& vertex(Ref v) { return v->vertex; }
  static double start_ns(Ref v) { return v->start_ns; }
  static double end_ns(Ref v) { return v->end_ns; }
  static const auto& before(Ref v) { return v->before; }
  struct Awaited {
    double ns;
    bool is_known;
    bool exists() const { return is_known; }
  };
  static Awaited awaited(Ref v) { return {v->awaited_ns, v->awaits}; }
  static bool to_itself(const OwnStretch&, Ref v) { return v->to_itself; }
  static Cause cause(Ref v) { return cause_of(v->call, v->vertex.kind); }
  static Cause cause(const OwnStretch&, Ref v, const Received&) {
    return v->older ? Cause::wrong_order : cause(v);
  }
  static void comes_to(const OwnStretch&, Ref) {}
  void joins(const OwnStretch& line, Point other, double from, Ref v, bool is_end);
  bool spend(const OwnStretch& line, double begin, double end, Activity activity, Ref v);
  bool wait(const OwnStretch& line, double begin, double end, Cause cause, Ref v, const Awaited&);

  static bool from_point_to_point(const OnLine& vertex) {
    return vertex.vertex.kind == graph::Kind::recv && !is_collective(vertex.call);
  }
  static void find_place(Rank& rank, const Held& vertex);
  static void place_all(Rank& rank, std::uint32_t place);
  void judge(Rank& rank) const;
  void passes(Rank& rank, const Held& vertex);
  void take(Rank& rank);
  void take(OwnStretch line);
  void finish(Rank& rank);
  std::uint32_t place_at(const OwnStretch& line, Ref v);
  void add_wait(Ref v, std::uint32_t place, Cause cause, double ns);
  const Counted<Outside>& at_release(const OnLine& vertex) const {
    return runs_on(vertex.vertex) ? vertex.at_start : vertex.at_end;
  }
  Counted<Outside> longer(const Counted<Outside>& line, std::uint32_t origin, double begin,
                          double end);
  Counted<Outside> longer_by(const Counted<Outside>& other, Counted<Outside> line,
                             std::uint32_t origin, double begin, double end);

  Pool<Outside> outsides_;
  Pool<OnLine> vertices_;
  std::vector<Held> of_id_;  ///< by vertex id, the latest that had it
  std::vector<Rank> ranks_;
  std::vector<OwnStretch> stretches_;  ///< to be taken
  std::vector<std::pair<double, double>> parts_;
  Places places_;
  Rows<Spent> spent_;
  Rows<Wait> waits_;
};

}  // namespace latitude::solve
