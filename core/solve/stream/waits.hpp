#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/following.hpp"
#include "core/solve/stream/counted.hpp"
#include "core/solve/stream/read_ahead.hpp"
#include "core/solve/wait_tables.hpp"
#include "core/solve/waits.hpp"

namespace latitude::solve {

struct OnLine;
using LivePoint = PointOf<static_cast<OnLine*>(nullptr)>;

/// A vertex on a rank's line, but for what it refers to.
struct OnLineFacts {
  graph::Vertex vertex;
  std::uint32_t rank = 0;
  graph::VertexId number = 0;              ///< in its rank
  std::uint32_t turn = 0;                  ///< how many are before it on the rank's main line
  trace::Call call = trace::Call::count_;  ///< whose it is
  std::uint32_t place = 0;                 ///< of that; of computation: of the call after it
  std::uint32_t completed = 0;             ///< of the call that completes it
  std::uint32_t partner_rank = 0;          ///< where the other end of its message is,
  std::uint32_t partner_origin = graph::kNoOrigin;  ///< and of which call, once it is awaited
  model::ClassId link = 0;                          ///< of its message
  bool beside = false;                              ///< inside a non-blocking collective
  bool first = false;                               ///< there
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
  Before<LivePoint> before;
};
struct OnLine : OnLineFacts {
  Pool<OnLine>* pool = nullptr;
  std::uint32_t holders = 0;
  Counted<OnLine> line;               ///< what is before it
  std::vector<Counted<OnLine>> ends;  ///< whose ends it waits for, until it starts
  Counted<OnLine> other;              ///< of `before`
  Counted<OnLine> awaited;            ///< where the other end of its message is; none: time zero

  static void let_go(OnLine* node);
};

/// Finds the Waits of a program whose vertices come and go: by the same Following, which takes each
/// rank's own line as far as it is known, and from each wait on it the lines of others. What is
/// kept are the vertices of the time that a rank may still ask for: that of the rank that has come
/// least far. Where they are too many, what is behind the waits that are to come is not known
/// (Waits::unexplained_ns).
class LiveLines : private Following<LiveLines, LivePoint> {
 public:
  /// Receives in a row that are looked at together for one whose message was sent earlier.
  static constexpr std::size_t kMostInRow = 65536;

  /// `most`: vertices that are kept at a time, about.
  LiveLines(const model::Network& network, std::uint32_t ranks, std::size_t most);
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;
  ~LiveLines();

  /// What there is to know of a vertex when it comes; of each rank in the order of their numbers.
  struct Coming {
    graph::Vertex vertex;
    std::uint32_t rank = 0;
    graph::VertexId number = 0;
    Place own;        ///< the call that it is of
    Place completes;  ///< the one that completes it
    RankBatch::Beside beside = RankBatch::Beside::no;
    std::uint32_t partner_rank = 0;  ///< of a message
    model::ClassId link = 0;         ///< of a message
    bool to_itself = false;
    std::span<const graph::Dep> deps;  ///< of these, by their ids
  };
  void comes(graph::VertexId v, const Coming& coming);

  void starts(graph::VertexId v, double ns);
  /// Before `ends`: when the other end of the message of v was there. `on`: the vertex whose start
  /// (of a send) or release (what a receive is posted after) that was, if any.
  void awaits(graph::VertexId v, double ns, const Counted<OnLine>& on, std::uint32_t origin);
  /// With what its message says of its size.
  void ends(graph::VertexId v, const graph::Vertex& vertex, double ns);
  const Counted<OnLine>& of_id(graph::VertexId v) const { return of_id_[v]; }
  /// No more vertices of the rank come.
  void left(std::uint32_t rank);

  /// All have ended.
  Waits finish();

  /// Vertices that were kept at a time, at most.
  std::size_t most() const noexcept { return vertices_.most(); }

 private:
  friend Lines;
  friend Following;
  using Held = Counted<OnLine>;
  using Ref = OnLine*;

  /// What may be at the end of the rank's line, as nothing has waited for it yet.
  struct Loose {
    Held vertex;
    std::uint32_t from = 0;  ///< the first turn of the main line that is not on its line
  };

  /// What others waited for, before a call that has not come.
  struct Owed {
    Activity activity;
    std::uint32_t row;
    double ns;
    bool is_direct;
  };

  struct Rank {
    Held last;    ///< to come, on the main line
    Held beside;  ///< the same of the non-blocking collective in hand
    std::uint32_t turns = 0;
    std::deque<Held> main;  ///< to be taken
    std::deque<Loose> loose;
    std::vector<Held> computing;  ///< before a call that has not come
    std::vector<Owed> owed;
    std::vector<Held> row;         ///< receives one after the other, with nothing in between
    double now_ns = 0;             ///< the main line has come so far
    graph::VertexId now = 0;       ///< with this vertex
    double taken_ns = 0;           ///< the main line is taken until then
    bool complete = false;         ///< no more come
    std::deque<Held> past;         ///< on the main line, that lines of others may come to
    std::deque<Held> past_beside;  ///< the same beside it
    std::vector<Held> open;        ///< sends that were among these and have not ended
  };

  // Of Lines.
  static const graph::Vertex& vertex(Ref v) { return v->vertex; }
  static model::ClassId link(Ref v) { return v->link; }
  static double start_ns(Ref v) { return v->start_ns; }
  static double end_ns(Ref v) { return v->end_ns; }
  static const auto& before(Ref v) { return v->before; }
  struct Awaited {
    Point point;
    double ns;
    bool is_known;
    bool exists() const { return is_known; }
  };
  static Awaited awaited(Ref v) {
    const At at = v->vertex.kind == graph::Kind::recv ? At::start : At::release;
    return {{at, v->awaited.get()}, v->awaited_ns, v->awaits};
  }
  static bool to_itself(const Line&, Ref v) { return v->to_itself; }
  static Cause cause(Ref v) { return cause_of(v->call, v->vertex.kind); }
  static Cause cause(const Line& line, Ref v, const Received&) {
    return line.whom == Whom::itself && v->older ? Cause::wrong_order : cause(v);
  }

  // Of Following; what is inside a call is told by the place of that.
  static std::uint32_t inside_of(Ref v) {
    return v->vertex.origin == graph::kNoOrigin ? graph::kNoOrigin : v->place;
  }
  std::uint32_t place(Ref v, std::uint32_t inside) {
    if (v->vertex.origin == graph::kNoOrigin) return v->place;
    return places_.both(inside == graph::kNoOrigin ? v->completed : inside, v->place);
  }
  static bool in_collective(Ref v) { return is_collective(v->call); }
  static std::uint32_t partner_line(Ref v) { return v->partner_rank; }
  static std::uint32_t line_of(std::uint32_t line, Ref) { return line; }
  static std::uint32_t partner_origin(Ref v) { return v->partner_origin; }
  void spent(const Line& line, double begin, double end, Activity activity, Ref v);
  static void waited(const Line&, double, double, Ref) {}
  void delayed(const Line& line, Activity activity, Ref v, std::uint32_t row, double ns);

  static bool from_point_to_point(const OnLine& vertex) {
    return vertex.vertex.kind == graph::Kind::recv && !is_collective(vertex.call);
  }
  void find_place(Rank& rank, const Held& vertex);
  void place_all(Rank& rank, std::uint32_t place);
  void judge(Rank& rank) const;
  void passes(Rank& rank, const Held& vertex);
  void take(Rank& rank);
  void take_main(Rank& rank);
  void take_own(LivePoint point, double from);
  void finish(Rank& rank);
  static void forget_before(OnLine& vertex);
  bool left_behind(const Rank& rank, const OnLine& vertex) const;
  double asked_from(const Rank& rank) const;
  void forget();
  void forget(Rank& rank, std::deque<Held>& past, double until, std::uint32_t turn);
  static void forget_open(Rank& rank, double until);
  static bool ended_by(const OnLine& vertex, double ns) {
    return vertex.ended && vertex.end_ns <= ns;
  }

  std::size_t most_;
  std::size_t came_ = 0;  ///< since it was looked for what can be forgotten
  Pool<OnLine> vertices_;
  std::vector<Held> of_id_;  ///< by vertex id, the latest that had it
  std::vector<Rank> ranks_;
  Places places_;
  Rows<Spent> spent_;
};

}  // namespace latitude::solve
