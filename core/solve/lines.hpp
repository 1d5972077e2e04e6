#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/causes.hpp"
#include "core/solve/lowering.hpp"

namespace latitude::solve {

/// An instant of a vertex; a Vertex identifies the vertex, and `None` means that no vertex exists.
template <auto None>
struct PointOf {
  using Vertex = std::remove_const_t<decltype(None)>;
  enum class At : std::uint8_t { start, release, end } at = At::start;
  Vertex vertex = None;

  bool exists() const { return vertex != None; }
};

/// The predecessors of a vertex' start: the one on its line and, if that is not the latest, the
/// other one for which the vertex waits.
template <class Point>
struct Before {
  Point line;
  Point other;
  bool is_end = false;  ///< whether `other` is an end
  double line_ns = 0;
  double latest_ns = 0;  ///< the later of both, ns

  /// Sets the predecessor on the vertex's line; call this function first.
  void follows(Point point, double ns) {
    line = point;
    line_ns = latest_ns = ns;
  }
  /// Adds the next of the vertex's dependencies, in their order.
  void depends(Point point, double ns, bool end) {
    if ((line.exists() || other.exists()) && !(ns > latest_ns)) return;
    other = point;
    latest_ns = ns;
    is_end = end;
  }
  /// Call this after the last dependency.
  void finish() {
    if (line.exists()) return;
    line = std::exchange(other, {});
    line_ns = latest_ns;
  }
};

/// Splits a line (docs/explanation/waits.md) into its parts, from its end to its start. A Line has
/// the point at its end, and the time `from` at which its requested part begins. Of (the derived
/// class) knows the program and the times on all lines, and has
///   vertex(v), start_ns(v), end_ns(v)
///   link(v)                  – the class of its message's link
///   Before<Point> before(v)
///   awaited(v)               – the message's other end: `ns`, and whether it `exists`
///   bool to_itself(line, v)  – a message of a rank to itself
///   Cause cause(line, v, const Received&)  – of a receive's wait for its send
///   Cause cause(v)           – of a send's wait for its receive
///   bool may_go_on(line)     – false: the line is stored, to be followed later or never
///   void comes_to(line&, v)
///   void joins(line, point, from, v, is_end)  – v starts after another activity, a stretch of it
///   bool goes_on(line)       – the line has reached its point; false if it has begun after that
///   void lost(ns)            – the requested time that precedes the known part of the line
///   bool spend(line, begin, end, activity, v), wait(line, begin, end, cause, v, awaited)
///                            – a part of v; false if the requested part of the line begins there
template <class Of, class Line>
class Lines {
 protected:
  using Point = decltype(Line::point);
  using At = typename Point::At;
  using V = typename Point::Vertex;

  explicit Lines(const model::Network& network) : network_(network) {}

  bool rendezvous(const graph::Vertex& message) const {
    return is_rendezvous(message, network_.base);
  }

  double overhead(V v) const {
    const graph::Vertex& message = of().vertex(v);
    return message.recorded ? 0 : network_.overhead_ns(of().link(v), message.value);
  }
  double copying(V v) const {
    const graph::Vertex& message = of().vertex(v);
    return message.recorded ? 0 : network_.O(of().link(v)) * model::gap_bytes(message.value);
  }

  /// Whether the CPU of a vertex continues before the vertex ends.
  bool runs_on(const graph::Vertex& vertex) const {
    return vertex.kind == graph::Kind::send && !vertex.blocking && rendezvous(vertex);
  }

  double time_of(Point point) const {
    if (point.at == At::start) return of().start_ns(point.vertex);
    const graph::Vertex& vertex = of().vertex(point.vertex);
    if (point.at == At::end || !runs_on(vertex)) return of().end_ns(point.vertex);
    return of().start_ns(point.vertex) + overhead(point.vertex);
  }

  /// The parts of a rendezvous send: overhead until `held`, a wait until `late`, transfer until
  /// `sent`, and overhead until its end.
  struct Sent {
    double held;
    double late;
    double sent;
  };
  template <class Awaited>
  Sent sent(V v, bool to_itself, const Awaited& awaited) const {
    const graph::Vertex& vertex = of().vertex(v);
    const double start = of().start_ns(v);
    const double end = of().end_ns(v);
    const bool sync = network_.base.rendezvous == model::Rendezvous::sync || to_itself;
    const bool copies_last = vertex.blocking && !sync;  // O is paid at the end
    const double last = copies_last ? copying(v) : 0;
    const double held = std::min(end, start + overhead(v) - last);
    const double sent = std::max(held, end - last);
    return {held, awaited.exists() ? std::clamp(awaited.ns, held, sent) : held, sent};
  }

  /// The parts of a receive: a wait until `late`, transfer until the message is `there`, and
  /// overhead until its end.
  struct Received {
    double late;
    double there;
    double sent;  ///< time at which the send has started
  };
  Received received(V v, double sent_ns) const {
    const double start = of().start_ns(v);
    const double there = std::max(start, of().end_ns(v) - overhead(v));
    return {std::clamp(sent_ns, start, there), there, sent_ns};
  }

  void follow(Line line) {
    while (of().may_go_on(line) && step(line)) {
    }
  }

  /// Steps from an end of a vertex to its start, or from its start to its predecessor. False: the
  /// requested part of the line begins there.
  bool step(Line& line) {
    const V v = line.point.vertex;
    if (line.point.at == At::start) return leave_start(line, v);
    of().comes_to(line, v);
    bool goes_on;
    if (line.point.at == At::release && runs_on(of().vertex(v))) {
      const double released = time_of(line.point);
      goes_on = of().spend(line, of().start_ns(v), released, Activity::overhead, v);
    } else {
      goes_on = leave_end(line, v);
    }
    line.point.at = At::start;
    return goes_on;
  }

 private:
  Of& of() { return static_cast<Of&>(*this); }
  const Of& of() const { return static_cast<const Of&>(*this); }

  // The following functions step back; false: the requested part of the line begins there.

  bool leave_end(Line& line, V v) {
    switch (of().vertex(v).kind) {
      case graph::Kind::send:
        return leave_send(line, v);
      case graph::Kind::recv:
        return leave_recv(line, v);
      case graph::Kind::transfer:
        return of().spend(line, of().start_ns(v), of().end_ns(v), Activity::transfer, v);
      case graph::Kind::calc:
        break;
    }
    const Activity activity =
        of().vertex(v).computes() ? Activity::computation : Activity::overhead;
    return of().spend(line, of().start_ns(v), of().end_ns(v), activity, v);
  }

  bool leave_send(Line& line, V v) {
    const double start = of().start_ns(v);
    const double end = of().end_ns(v);
    if (!rendezvous(of().vertex(v))) return of().spend(line, start, end, Activity::overhead, v);
    const auto awaited = of().awaited(v);
    const Sent parts = sent(v, of().to_itself(line, v), awaited);
    return of().spend(line, parts.sent, end, Activity::overhead, v) &&
           of().spend(line, parts.late, parts.sent, Activity::transfer, v) &&
           of().wait(line, parts.held, parts.late, of().cause(v), v, awaited) &&
           of().spend(line, start, parts.held, Activity::overhead, v);
  }

  bool leave_recv(Line& line, V v) {
    const auto awaited = of().awaited(v);
    const Received parts = received(v, awaited.ns);
    const Cause cause = of().cause(line, v, parts);
    return of().spend(line, parts.there, of().end_ns(v), Activity::overhead, v) &&
           of().spend(line, parts.late, parts.there, Activity::transfer, v) &&
           of().wait(line, of().start_ns(v), parts.late, cause, v, awaited);
  }

  bool leave_start(Line& line, V v) {
    const auto before = of().before(v);
    // Any time after all predecessors is a gap to the previous message.
    if (!of().spend(line, before.latest_ns, of().start_ns(v), Activity::overhead, v)) return false;
    const double from = std::max(before.line_ns, line.from);
    if (from < before.latest_ns) {
      if (before.other.exists()) {
        of().joins(line, before.other, from, v, before.is_end);
      } else {
        of().lost(before.latest_ns - from);
      }
    }
    if (line.from >= before.line_ns) return false;
    if (!before.line.exists()) of().lost(before.line_ns - line.from);
    line.point = before.line;
    return before.line.exists() && of().goes_on(line);
  }

  const model::Network& network_;
};

}  // namespace latitude::solve
