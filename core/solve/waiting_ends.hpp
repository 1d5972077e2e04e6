#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::solve {

/// Messages and receives of one rank that wait for each other, by MPI's rule: each takes the first
/// that fits. An end waits in one queue for every kind of request that it may fit, so that no
/// search passes ends that do not fit.
class WaitingEnds {
 public:
  /// `receives` are all that the rank posts.
  explicit WaitingEnds(const std::vector<graph::OpenEnd>& receives) {
    for (const graph::OpenEnd& receive : receives) asked_[form_of(receive)] = true;
  }

  /// The receive that takes a message arriving now; if no receive fits, the message waits.
  std::optional<graph::VertexId> come(const graph::OpenEnd& send) {
    Lines::iterator first = posted_.end();
    for (std::size_t form = 0; form < kForms; ++form) {
      if (!asked_[form]) continue;
      const auto line = posted_.find(pattern(send, form));
      if (line == posted_.end()) continue;
      if (first == posted_.end() || line->second.front() < first->second.front()) first = line;
    }
    if (first != posted_.end()) return receives_[pop(posted_, first)];
    for (std::size_t form = 0; form < kForms; ++form) {
      if (asked_[form]) come_[pattern(send, form)].ends.push_back(sends_.size());
    }
    sends_.push_back(send.vertex);
    return std::nullopt;
  }

  /// The message that a receive posted now takes; if no message fits, the receive waits.
  std::optional<graph::VertexId> post(const graph::OpenEnd& receive) {
    const Pattern key = pattern(receive, form_of(receive));
    for (auto line = come_.find(key); line != come_.end(); line = come_.find(key)) {
      // The send may have been taken from another queue.
      const graph::VertexId send = std::exchange(sends_[pop(come_, line)], graph::kNoVertex);
      if (send != graph::kNoVertex) return send;
    }
    posted_[key].ends.push_back(receives_.size());
    receives_.push_back(receive.vertex);
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kForms = 4;  ///< which of source and tag are wildcards
  using Pattern = std::tuple<std::uint64_t, std::int32_t, std::int32_t>;
  struct Line {
    std::vector<std::size_t> ends;  ///< indices into sends_ or receives_, ascending
    std::size_t next = 0;           ///< all before it have left
    std::size_t front() const { return ends[next]; }
  };
  using Lines = std::map<Pattern, Line>;  ///< none is empty

  static std::size_t form_of(const graph::OpenEnd& receive) {
    return (receive.peer == trace::kAnySource ? 1U : 0U) +
           (receive.tag == trace::kAnyTag ? 2U : 0U);
  }
  static Pattern pattern(const graph::OpenEnd& end, std::size_t form) {
    return {end.context, form % 2 != 0 ? trace::kAnySource : end.peer,
            form / 2 != 0 ? trace::kAnyTag : end.tag};
  }
  static std::size_t pop(Lines& lines, Lines::iterator line) {
    const std::size_t end = line->second.ends[line->second.next++];
    if (line->second.next == line->second.ends.size()) lines.erase(line);
    return end;
  }

  std::array<bool, kForms> asked_{};
  std::vector<graph::VertexId> sends_;  ///< sends that had to wait, in order of arrival; kNoVertex:
                                        ///< taken
  std::vector<graph::VertexId> receives_;  ///< receives that had to wait, in posting order
  Lines come_;
  Lines posted_;
};

}  // namespace latitude::solve
