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

/// A vertex on a rank's line, without its references.
struct OnLineFacts {
  graph::Vertex vertex;
  std::uint32_t rank = 0;
  graph::VertexId number = 0;              ///< number in its rank
  std::uint32_t turn = 0;                  ///< number of vertices before it on the rank's main line
  trace::Call call = trace::Call::count_;  ///< call to which it belongs
  std::uint32_t place = 0;                 ///< place of that call; for computation, of the call
                                           ///< after it
  std::uint32_t completed = 0;             ///< place of the call that completes it
  std::uint32_t partner_rank = 0;          ///< rank at the other end of its message
  std::uint32_t partner_origin = graph::kNoOrigin;  ///< call at that end, once awaited
  model::ClassId link = 0;                          ///< class of its message's link
  bool beside = false;                              ///< inside a non-blocking collective
  bool first = false;  ///< first vertex inside a non-blocking collective
  bool to_itself = false;
  bool placed = false;  ///< `place` is known
  bool judged = false;  ///< `older` is known
  bool older = false;   ///< a message that is received immediately afterwards was sent before its
                        ///< own
  bool started = false;
  bool ended = false;
  bool awaits = false;  ///< `awaited_ns` is known
  double start_ns = 0;
  double end_ns = 0;
  double awaited_ns = 0;  ///< time at which the other end of its message was ready
  double leaves_ns = 0;   ///< time at which its line leaves the rank's main line
  Before<LivePoint> before;
};
struct OnLine : OnLineFacts {
  Pool<OnLine>* pool = nullptr;
  std::uint32_t holders = 0;
  Counted<OnLine> line;               ///< predecessor on the line
  std::vector<Counted<OnLine>> ends;  ///< vertices for whose ends it waits before it starts
  Counted<OnLine> other;              ///< keeps the other vertex of `before`
  Counted<OnLine> awaited;            ///< vertex at the other end of its message; none: time zero

  static void let_go(OnLine* node);
};

/// Finds the Waits of a program whose vertices come and go. As for a graph in memory, Following
/// follows each rank's own line as far as it is known, and from each wait on it the lines of
/// others. LiveLines stores the vertices of the time that a rank may still need, which the slowest
/// rank sets. If these are too many, the causes of later waits stay unknown
/// (Waits::unexplained_ns).
class LiveLines : private Following<LiveLines, LivePoint> {
 public:
  /// Receives in a row that are searched together for messages sent earlier.
  static constexpr std::size_t kMostInRow = 65536;

  /// `most`: vertices that are stored at a time, approximately.
  LiveLines(const model::Network& network, std::uint32_t ranks, std::size_t most);
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;
  ~LiveLines();

  /// The data on a vertex when it comes. The vertices of a rank come in the order of their numbers.
  struct Coming {
    graph::Vertex vertex;
    std::uint32_t rank = 0;
    graph::VertexId number = 0;
    Place own;        ///< the vertex' call
    Place completes;  ///< the call that completes it
    RankBatch::Beside beside = RankBatch::Beside::no;
    std::uint32_t partner_rank = 0;  ///< for a message: rank at the other end
    model::ClassId link = 0;         ///< for a message: class of its link
    bool to_itself = false;
    std::span<const graph::Dep> deps;  ///< dependencies on these vertices, by id
  };
  void comes(graph::VertexId v, const Coming& coming);

  void starts(graph::VertexId v, double ns);
  /// Call before `ends`: the other end of the message of v was ready at `ns`. `on`: the vertex
  /// whose start (for a send) or release (for the posting of a receive) made that end ready, if
  /// any.
  void awaits(graph::VertexId v, double ns, const Counted<OnLine>& on, std::uint32_t origin);
  /// Reports the end of v; `vertex` has the size of its message.
  void ends(graph::VertexId v, const graph::Vertex& vertex, double ns);
  const Counted<OnLine>& of_id(graph::VertexId v) const { return of_id_[v]; }
  /// Reports that the rank has no more vertices.
  void left(std::uint32_t rank);

  /// Call after all vertices have ended.
  Waits finish();

  /// Most vertices that were stored at a time.
  std::size_t most() const noexcept { return vertices_.most(); }

 private:
  friend Lines;
  friend Following;
  using Held = Counted<OnLine>;
  using Ref = OnLine*;

  /// Candidates for the end of the rank's line: no vertex has waited for them yet.
  struct Loose {
    Held vertex;
    std::uint32_t from = 0;  ///< the first turn of the main line that its line does not have
  };

  /// A delay that this rank caused to others. It waits here until the rank's next call gives the
  /// place at which it counts.
  struct Owed {
    Activity activity;
    std::uint32_t row;
    double ns;
    bool is_direct;
  };

  struct Rank {
    Held last;    ///< latest vertex of the main line that has come
    Held beside;  ///< latest vertex of the current non-blocking collective that has come
    std::uint32_t turns = 0;
    std::deque<Held> main;  ///< vertices of the main line to be taken
    std::deque<Loose> loose;
    std::vector<Held> computing;  ///< computation before a call that has not come yet
    std::vector<Owed> owed;
    std::vector<Held> row;    ///< consecutive receives, without other operations between them
    double now_ns = 0;        ///< point that the main line has reached
    graph::VertexId now = 0;  ///< number of the vertex at that point
    double taken_ns = 0;      ///< the main line is processed up to this point
    bool complete = false;    ///< the rank has no more vertices
    std::deque<Held> past;    ///< taken vertices of the main line that lines of others may need
    std::deque<Held> past_beside;  ///< past vertices outside the main line
    std::vector<Held> open;        ///< sends that were in these lists and have not ended
  };

  // Functions that Lines requires.
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

  // Functions that Following requires; the place of a call identifies the inside of the call.
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
  std::size_t came_ = 0;  ///< vertices since the last search for data to drop
  Pool<OnLine> vertices_;
  std::vector<Held> of_id_;  ///< by vertex id, the latest vertex with that id
  std::vector<Rank> ranks_;
  Places places_;
  Rows<Spent> spent_;
};

}  // namespace latitude::solve
