#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// The operations of a program that is read while it runs, for Lowering. Operations come, and leave
/// when nothing can depend on them any more. Their ids are places, which later operations reuse.
template <class InstantType>
class LiveProgram {
 public:
  using VertexId = graph::VertexId;
  using Instant = InstantType;

  static constexpr bool kLive = true;
  static constexpr std::uint32_t kNoSlot = 0xffffffffU;
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct Successor {
    VertexId vertex;
    graph::DepKind kind;
    std::uint32_t next;
  };

  /// The properties of a receive's send that the receive needs; the send may have left.
  struct Sender {
    std::uint64_t serial = 0;
    trace::Call call = trace::Call::count_;
    std::uint32_t site = trace::kNoSite;
  };

  /// One operation, without its instants.
  struct Facts {
    graph::Vertex vertex;
    VertexId number = 0;       ///< number among the vertices of its rank
    std::uint64_t serial = 0;  ///< from 1; never given twice
    Sender sender;             ///< for a receive: its send
    std::uint32_t rank = 0;
    std::uint32_t position = 0;  ///< rank at the other end of the call
    std::uint32_t waiting = 0;
    std::uint32_t slot = kNoSlot;
    std::uint32_t first = kNone;  ///< first of its successors
    std::uint32_t last = kNone;
    std::uint32_t message = kNone;  ///< an unmatched send: its number among waiting sends
    trace::Call call = trace::Call::count_;
    std::uint32_t site = trace::kNoSite;  ///< place of the call
    std::uint32_t comm = 0;               ///< for a receive: the call's communicator
    model::ClassId link = 0;              ///< class of its message's link
    std::uint32_t peer = 0;               ///< the rank at the message's other end
    bool to_itself = false;
    bool completed = false;  ///< a receive: the call that completes it has come
    bool released = false;
    bool ended = false;
    bool followed = false;  ///< an operation follows its release
    bool joined = false;    ///< an operation follows its end
    bool watched = false;   ///< whether its release must be reported
  };
  struct Operation : Facts {
    Instant release;
    Instant end;
  };

  VertexId make() {
    if (free_.empty()) {
      operations_.emplace_back();
      return static_cast<VertexId>(operations_.size() - 1);
    }
    const VertexId v = free_.back();
    free_.pop_back();
    return v;
  }
  /// Frees the place of v for another operation.
  void remove(VertexId v) {
    for (std::uint32_t s = operations_[v].first; s != kNone;) {
      const std::uint32_t next = successors_[s].next;
      free_successors_.push_back(s);
      s = next;
    }
    Operation& operation = operations_[v];
    static_cast<Facts&>(operation) = {};
    operation.release = {};
    operation.end = {};
    free_.push_back(v);
  }
  Operation& operator[](VertexId v) { return operations_[v]; }
  const Operation& operator[](VertexId v) const { return operations_[v]; }
  /// Number of places, some of which may be free.
  VertexId places() const { return static_cast<VertexId>(operations_.size()); }
  /// Number of operations.
  std::size_t size() const { return operations_.size() - free_.size(); }

  // Functions that Lowering requires.

  const graph::Vertex& vertex(VertexId v) const { return operations_[v].vertex; }
  VertexId order(VertexId v) const { return operations_[v].number; }
  std::uint32_t& waiting(VertexId v) { return operations_[v].waiting; }
  std::uint32_t& slot(VertexId v) { return operations_[v].slot; }
  /// 0: Lowering::posted_after reports this operation.
  static std::uint32_t postings_of(VertexId) { return 0; }
  bool to_itself(VertexId v) const { return operations_[v].to_itself; }
  /// The class of a message, by its receive; 0 if it has none.
  model::ClassId link_of(VertexId receive) const {
    return receive == graph::kNoVertex ? model::ClassId{0} : operations_[receive].link;
  }
  const Instant& end(VertexId v) const { return operations_[v].end; }

  /// Adds the dependency of v on an operation. Returns the instant for which v waits, if known;
  /// otherwise the program reports the instant later.
  const Instant* depend(VertexId v, const graph::Dep& dep) {
    Operation& before = operations_[dep.vertex];
    const bool on_end = dep.kind == graph::DepKind::requires_end;
    if (on_end) {
      before.joined = true;
    } else if (dep.kind == graph::DepKind::released) {
      before.followed = true;
    }
    if (on_end ? before.ended : before.released) return on_end ? &before.end : &before.release;
    std::uint32_t at = static_cast<std::uint32_t>(successors_.size());
    if (free_successors_.empty()) {
      successors_.emplace_back();
    } else {
      at = free_successors_.back();
      free_successors_.pop_back();
    }
    successors_[at] = {v, dep.kind, kNone};
    (before.first == kNone ? before.first : successors_[before.last].next) = at;
    before.last = at;
    return nullptr;
  }
  /// Whether an operation starts no earlier than the end of v.
  bool waited_for(VertexId v, bool release_is_end) const {
    return operations_[v].joined || (operations_[v].followed && release_is_end);
  }
  /// False: dependencies of traces are on ends and releases.
  static constexpr bool starts_matter() { return false; }
  template <class Visit>
  void each_successor(VertexId v, Visit visit) const {
    for (std::uint32_t s = operations_[v].first; s != kNone; s = successors_[s].next) {
      visit(successors_[s]);
    }
  }
  void released(VertexId v, const Instant& at) {
    operations_[v].released = true;
    operations_[v].release = at;
    if (operations_[v].watched) seen_.push_back(v);
  }
  void ended(VertexId v, const Instant& at) {
    operations_[v].ended = true;
    operations_[v].end = at;
  }
  /// A send has started, and its receive is not known yet.
  void sent(VertexId v, const Instant& at) { sent_.emplace_back(v, at); }

  /// Events since these lists were last emptied: watched operations that were released, and sends
  /// that started without a receive.
  std::vector<VertexId>& seen() { return seen_; }
  std::vector<std::pair<VertexId, Instant>>& sent() { return sent_; }

 private:
  std::vector<Operation> operations_;
  std::vector<VertexId> free_;
  std::vector<Successor> successors_;
  std::vector<std::uint32_t> free_successors_;
  std::vector<VertexId> seen_;
  std::vector<std::pair<VertexId, Instant>> sent_;
};

}  // namespace latitude::solve
