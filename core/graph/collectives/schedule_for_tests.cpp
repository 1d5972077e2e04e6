#include "core/graph/collectives/schedule_for_tests.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

namespace latitude::graph::test {

namespace {

struct Message {
  std::uint64_t bytes;
  std::bitset<kMaxRanks> knows;
  std::bitset<kMaxRanks> summed;
  std::uint64_t depth;
  bool met = false;  ///< the receive is posted
};

struct Posted {
  std::uint64_t bytes;
  Message* message = nullptr;
};

struct Channel {
  std::deque<Message*> sends;
  std::deque<Posted*> receives;
};

class Player {
 public:
  explicit Player(const std::vector<std::vector<Step>>& parts)
      : parts_(parts),
        at_(parts.size()),
        blocked_(parts.size()),
        open_(parts.size()),
        arrived_(parts.size()) {
    outcome_.members.resize(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      outcome_.members[i].knows.set(i);
      outcome_.members[i].summed.set(i);
    }
  }

  Outcome run() {
    for (bool moved = true; moved && outcome_.problem.empty();) {
      moved = false;
      for (std::size_t rank = 0; rank < parts_.size(); ++rank)
        while (at_[rank] < parts_[rank].size() && outcome_.problem.empty() && advance(rank))
          moved = true;
    }
    for (std::size_t rank = 0; rank < parts_.size(); ++rank) {
      settle(rank);
      if (at_[rank] < parts_[rank].size()) {
        fail("rank " + std::to_string(rank) + " hangs at step " + std::to_string(at_[rank]));
      }
      if (!open_[rank].sends.empty() || !open_[rank].receives.empty())
        fail("rank " + std::to_string(rank) + " does not wait for all it posted");
    }
    for (const auto& [ends, channel] : channels_) {
      if (!channel.sends.empty() || !channel.receives.empty())
        fail("unmatched from " + std::to_string(ends.first) + " to " + std::to_string(ends.second));
    }
    return outcome_;
  }

 private:
  struct Open {
    std::vector<Message*> sends;
    std::vector<Posted*> receives;
  };

  void fail(const std::string& what) {
    if (outcome_.problem.empty()) outcome_.problem = what;
  }

  void meet(Channel& channel) {
    while (!channel.sends.empty() && !channel.receives.empty()) {
      Message* const message = channel.sends.front();
      Posted* const receive = channel.receives.front();
      channel.sends.pop_front();
      channel.receives.pop_front();
      if (message->bytes != receive->bytes) {
        fail("sent " + std::to_string(message->bytes) + ", expected " +
             std::to_string(receive->bytes));
      }
      message->met = true;
      receive->message = message;
    }
  }

  void post(std::size_t rank, const Step& step, bool send) {
    Member& member = outcome_.members[rank];
    const int self = static_cast<int>(rank);
    if (step.peer < 0 || step.peer >= static_cast<int>(parts_.size()) || step.peer == self)
      return fail("rank " + std::to_string(rank) + " names peer " + std::to_string(step.peer));
    if (send) {
      settle(rank);
      if (!is_run(member.summed)) outcome_.out_of_order = "rank " + std::to_string(rank);
      messages_.push_back({step.bytes, member.knows, member.summed, member.depth + 1});
      ++member.messages;
      member.sent += step.bytes;
      open_[rank].sends.push_back(&messages_.back());
      Channel& channel = channels_[{self, step.peer}];
      channel.sends.push_back(&messages_.back());
      meet(channel);
    } else {
      receives_.push_back({step.bytes});
      open_[rank].receives.push_back(&receives_.back());
      Channel& channel = channels_[{step.peer, self}];
      channel.receives.push_back(&receives_.back());
      meet(channel);
    }
  }

  void take(std::size_t rank, const Posted& receive) {
    Member& member = outcome_.members[rank];
    member.knows |= receive.message->knows;
    member.received += receive.bytes;
    member.depth = std::max(member.depth, receive.message->depth);
    arrived_[rank].push_back(receive.message->summed);
  }

  /// Data that arrived and were not combined replace the result.
  void settle(std::size_t rank) {
    if (arrived_[rank].empty()) return;
    outcome_.members[rank].summed = arrived_[rank].back();
    arrived_[rank].clear();
  }

  void combine(std::size_t rank, std::uint64_t bytes) {
    Member& member = outcome_.members[rank];
    member.combined += bytes;
    if (arrived_[rank].empty()) return;  // the second combination of a scan
    if ((member.summed & arrived_[rank].front()).any())
      outcome_.counted_twice = "rank " + std::to_string(rank);
    member.summed |= arrived_[rank].front();
    arrived_[rank].pop_front();
  }

  static bool is_run(const std::bitset<kMaxRanks>& ranks) {
    return (ranks & ~(ranks << 1)).count() == 1;  // one rank whose predecessor is missing
  }

  /// Runs one step, or the posting half of a blocking one; false if the rank cannot continue.
  bool advance(std::size_t rank) {
    const Step& step = parts_[rank][at_[rank]];
    Open& open = open_[rank];
    const bool is_send = step.op == Step::Op::send || step.op == Step::Op::isend;
    switch (step.op) {
      case Step::Op::reduce:
        combine(rank, step.bytes);
        break;
      case Step::Op::isend:
      case Step::Op::irecv:
        post(rank, step, is_send);
        break;
      case Step::Op::send:
      case Step::Op::recv:
        if (!blocked_[rank]) {
          post(rank, step, is_send);
          blocked_[rank] = true;
          return true;
        }
        if (is_send) {
          if (!open.sends.back()->met) return false;
          open.sends.pop_back();
        } else {
          if (open.receives.back()->message == nullptr) return false;
          take(rank, *open.receives.back());
          open.receives.pop_back();
        }
        blocked_[rank] = false;
        break;
      case Step::Op::wait:
        if (open.sends.empty() && open.receives.empty()) fail("a wait for nothing");
        for (const Message* send : open.sends)
          if (!send->met) return false;
        for (const Posted* receive : open.receives)
          if (receive->message == nullptr) return false;
        for (const Posted* receive : open.receives) take(rank, *receive);
        open = {};
        break;
    }
    ++at_[rank];
    return true;
  }

  const std::vector<std::vector<Step>>& parts_;
  std::vector<std::size_t> at_;
  std::vector<bool> blocked_;
  std::vector<Open> open_;
  std::vector<std::deque<std::bitset<kMaxRanks>>> arrived_;
  std::map<std::pair<int, int>, Channel> channels_;
  std::deque<Message> messages_;
  std::deque<Posted> receives_;
  Outcome outcome_;
};

std::uint64_t sum(const std::vector<Member>& members, std::uint64_t Member::* figure) {
  return std::accumulate(members.begin(), members.end(), std::uint64_t{0},
                         [&](std::uint64_t total, const Member& m) { return total + m.*figure; });
}

}  // namespace

std::uint64_t Outcome::messages() const { return sum(members, &Member::messages); }
std::uint64_t Outcome::sent() const { return sum(members, &Member::sent); }
std::uint64_t Outcome::combined() const { return sum(members, &Member::combined); }
std::uint64_t Outcome::rounds() const {
  std::uint64_t rounds = 0;
  for (const Member& m : members) rounds = std::max(rounds, m.depth);
  return rounds;
}

Outcome play(const std::vector<std::vector<Step>>& parts) { return Player(parts).run(); }

Outcome play(const World& world, Algorithm algorithm) {
  std::vector<std::vector<Step>> parts;
  Steps steps;
  for (const Collective& member : world.members()) {
    steps.clear();
    algorithm(member, steps);
    parts.emplace_back(steps.view().begin(), steps.view().end());
  }
  return play(parts);
}

}  // namespace latitude::graph::test
