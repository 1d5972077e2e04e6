#include <map>
#include <set>
#include <tuple>

#include "core/trace/event_args.hpp"
#include "core/trace/infer/comm_ties.hpp"
#include "core/trace/infer/fail.hpp"

namespace latitude::trace::infer {
namespace {

/// The operations of one rank through the handles of merged communicators.
class RankCheck {
 public:
  RankCheck(const RankLog& log, const std::vector<UseState>& uses, std::uint32_t comm,
            const CommFacts& facts)
      : log_(log), uses_(uses), comm_(comm), facts_(facts) {}

  void run() {
    for (const Event& e : log_.trace.events) {
      if (e.comm == kNothing || uses_[e.comm].comm == kNothing ||
          facts_.root(uses_[e.comm].comm) != comm_) {
        continue;
      }
      check(e);
    }
  }

  struct Collective {
    Call call;
    std::int32_t root;
    const Event* event;
  };
  const std::vector<Collective>& collectives() const { return collectives_; }

  [[noreturn]] void refuse(const Event& e, std::string_view why) const {
    throw InputError(where(log_.trace, e) + " uses communicator " +
                     std::to_string(log_.comms.uses[e.comm].handle) +
                     ", which this format does not tell from another one of the same processes, " +
                     std::string(why) + "; " + kRetrace);
  }

 private:
  void check(const Event& e) {
    switch (class_of(e.call)) {
      case CallClass::send:
      case CallClass::isend:
      case CallClass::recv:
      case CallClass::irecv:
      case CallClass::persistent:
        return channel(e, !receives(e.call), message_of(e));
      case CallClass::sendrecv:
        channel(e, true, message_of(e));
        return channel(e, false, received_by(log_.trace, e));
      default:
        collectives_.push_back({e.call, root_of(e), &e});
    }
  }

  /// Checks that each channel has one handle; a wildcard opens all channels of its direction.
  void channel(const Event& e, bool sends, const Message& message) {
    const auto [peer, tag, bytes] = message;
    const std::uint64_t handle = log_.comms.uses[e.comm].handle;
    bool mixed = channels_.try_emplace({sends, peer, tag}, handle).first->second != handle;
    if (!sends) {
      wildcard_ |= peer < 0 || tag < 0;
      receivers_.insert(handle);
      mixed |= wildcard_ && receivers_.size() > 1;
    }
    if (mixed) refuse(e, "for messages that could be matched through either");
  }

  const RankLog& log_;
  const std::vector<UseState>& uses_;
  const std::uint32_t comm_;
  const CommFacts& facts_;
  std::map<std::tuple<bool, std::int32_t, std::int32_t>, std::uint64_t> channels_;
  std::set<std::uint64_t> receivers_;
  bool wildcard_ = false;
  std::vector<Collective> collectives_;
};

void check_one(const CommFacts& facts, std::uint32_t comm) {
  std::vector<RankCheck> checks;
  for (const std::int32_t member : *facts.comms[comm].group) {
    const auto rank = static_cast<std::size_t>(member);
    checks.emplace_back(facts.logs[rank], facts.ranks[rank].uses, comm, facts).run();
    const auto& first = checks.front().collectives();
    const auto& mine = checks.back().collectives();
    for (std::size_t i = 0; i < std::max(first.size(), mine.size()); ++i) {
      if (i < std::min(first.size(), mine.size()) && first[i].call == mine[i].call &&
          first[i].root == mine[i].root) {
        continue;
      }
      const bool here = i < mine.size();
      (here ? checks.back() : checks.front())
          .refuse(*(here ? mine[i] : first[i]).event,
                  "and the ranks call their collectives in different orders");
    }
  }
}

}  // namespace

void check_merged(const CommFacts& facts) {
  std::set<std::uint32_t> merged;
  for (std::uint32_t c = 0; c < facts.comms.size(); ++c) {
    if (facts.comms[c].merged_into != kNothing) merged.insert(facts.root(c));
  }
  for (const std::uint32_t comm : merged) check_one(facts, comm);
}

}  // namespace latitude::trace::infer
