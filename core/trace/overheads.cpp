#include "core/trace/overheads.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/flat_map.hpp"
#include "core/parallel.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/matching.hpp"
#include "core/trace/message_ends.hpp"

namespace latitude::trace {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Service::count_)> kServices{
    "send", "exchange", "receive", "post", "complete", "complete-send"};
constexpr std::size_t kMostKept = 16384;  ///< most stored calls of one kind and size
constexpr std::uint64_t kBlocks = 16;     ///< parts of a rank's run

/// The other end of a receive.
struct Sender {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t rank = kNone;
  std::uint32_t send = 0;
};

struct IntoSenders {
  std::vector<std::vector<Sender>>& senders;  ///< by rank and receive

  void match(std::uint32_t source, std::uint32_t send, std::uint32_t destination,
             std::uint32_t receive) const {
    senders[destination][receive] = {source, send};
  }
  void no_receive(std::uint32_t, std::uint32_t) const {}
  void no_send(std::uint32_t, std::uint32_t) const {}
  void ambiguous(std::uint32_t, std::uint32_t, std::size_t) const {}
};

using Cell = std::tuple<Service, Call, std::uint32_t>;

/// The calls in one cell; those with the lowest hashes are kept.
struct Kept {
  struct Sample {
    std::uint64_t hash;
    double ns;
    double bytes;
    std::uint32_t share;
    std::uint32_t block;
    auto operator<=>(const Sample&) const = default;
  };
  std::uint64_t ends = 0;
  std::uint64_t calls = 0;
  std::vector<Sample> samples;

  void add(const Sample& sample) {
    samples.push_back(sample);
    if (samples.size() >= 2 * kMostKept) thin();
  }
  void thin() {
    if (samples.size() <= kMostKept) return;
    std::ranges::nth_element(samples, samples.begin() + kMostKept);
    samples.resize(kMostKept);
  }
};

struct FoundCells {
  std::map<Cell, Kept> cells;
  std::uint64_t waited = 0;
  std::uint64_t rendezvous = 0;
  std::uint64_t to_itself = 0;
  std::uint64_t unknown = 0;
};

std::uint64_t hash_of(std::uint64_t number) {  // splitmix64 [SplitMix]
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31);
}

constexpr std::size_t kFew = 10;  ///< fewer sends of a size give no information

/// For sends of one size, the durations of the calls that completed them.
struct Sent {
  struct Late {
    std::int64_t posted_ns;  ///< posting of the receive, relative to the start of the call
    std::int64_t took_ns;
  };
  std::vector<std::int64_t>
      met;  ///< durations of sends whose receive was posted before the call began
  std::vector<Late> late;

  /// The number of sends that were over before their receive was posted, and the number that were
  /// not. Counts only sends whose receive was posted later than a send without a wait takes.
  std::pair<std::size_t, std::size_t> over_and_not() {
    std::int64_t usual_ns = 0;
    if (met.size() >= kFew) {
      const auto middle = met.begin() + static_cast<std::ptrdiff_t>(met.size() / 2);
      std::ranges::nth_element(met, middle);
      usual_ns = *middle;
    }
    std::size_t over = 0, waiting = 0;
    for (const Late& each : late) {
      if (each.posted_ns > usual_ns) ++(each.posted_ns > each.took_ns ? over : waiting);
    }
    return {over, waiting};
  }
  void add(Sent&& other) {
    met.insert(met.end(), other.met.begin(), other.met.end());
    late.insert(late.end(), other.late.begin(), other.late.end());
    other = {};
  }
};
constexpr std::size_t kSizes = 65;
using SentBySize = std::array<std::array<Sent, kSizes>, 2>;  ///< non-blocking, blocking

bool is_synchronous(Call call) {
  return call == Call::Ssend || call == Call::Issend || call == Call::Ssend_init;
}

bool is_blocking(const MessageEnd& send) { return send.posted == send.completed; }

/// The sizes of messages that wait for their receiver.
class Protocol {
 public:
  Protocol(const Travel& travel, SentBySize seen) {
    const std::array<std::uint64_t, 2> eager{travel.eager_nonblocking, travel.eager_blocking};
    limit_ = eager;
    if (travel.told) return;
    std::array<std::uint64_t, 2> found = eager;
    std::array<std::uint64_t, 2> free{};  // the largest sizes at which sends are known not to wait
    for (const std::size_t blocking : {0U, 1U}) {
      for (std::size_t log2 = 0; log2 < kSizes; ++log2) {
        const auto [over, waiting] = seen[blocking][log2].over_and_not();
        if (over + waiting < kFew) continue;
        if (waiting > over) {
          found[blocking] =
              std::min(eager[blocking], log2 == 0 ? 0 : std::uint64_t{1} << (log2 - 1));
          break;
        }
        free[blocking] = log2 < 64 ? std::uint64_t{1} << log2 : eager[blocking];
      }
    }
    // For sizes at which it is unknown whether one kind of send waits, the other kind decides.
    for (const std::size_t blocking : {0U, 1U}) {
      const std::size_t other = 1 - blocking;
      limit_[blocking] = found[blocking];
      if (found[blocking] < eager[blocking] || found[other] == eager[other]) continue;
      limit_[blocking] = std::min(eager[blocking], std::max(found[other], free[blocking]));
    }
  }

  bool waits(const MessageEnd& send) const {
    return send.bytes > limit_[is_blocking(send) ? 1 : 0] || is_synchronous(send.call);
  }
  std::uint64_t limit(bool blocking) const { return limit_[blocking ? 1 : 0]; }

 private:
  std::array<std::uint64_t, 2> limit_{};
};

/// The ends that one event serves.
struct Served {
  std::uint32_t sends = 0;     ///< sends that it posts; or, for a completion, that it completes
  std::uint32_t receives = 0;  ///< receives that it posts; or, for a completion, that it completes
  double bytes = 0;            ///< bytes of all ends together
  double bytes_received = 0;
  bool rendezvous = false;
  bool to_itself = false;
  bool unknown = false;
  std::int64_t early_ns =
      std::numeric_limits<std::int64_t>::max();  ///< the least left_ago() of its messages

  std::uint32_t ends() const { return sends + receives; }
};

class CostsOfRank {
 public:
  CostsOfRank(const Trace& trace, const Travel& travel, const std::vector<RankEnds>& ends,
              const std::vector<std::vector<bool>>& also_receives,
              const std::vector<Sender>& senders, std::uint32_t rank)
      : trace_(trace),
        travel_(travel),
        ends_(ends),
        also_receives_(also_receives),
        senders_(senders),
        number_(rank),
        rank_(trace.ranks[rank]) {}

  /// The evidence that the sends to this rank give about the protocol; call this before run.
  SentBySize sent() {
    if (!trace_.no_common_clock.empty()) bound_clocks();
    SentBySize seen{};
    const RankEnds& own = ends_[number_];
    for (std::size_t r = 0; r < own.receives.size(); ++r) {
      const Sender sender = senders_[r];
      if (sender.rank == Sender::kNone || sender.rank == number_) continue;
      const MessageEnd& sent = ends_[sender.rank].sends[sender.send];
      largest_ = std::max(largest_, sent.bytes);
      if (sent.completed == MessageEnd::kNone || is_synchronous(sent.call)) continue;
      const Event& over = trace_.ranks[sender.rank].events[sent.completed];
      const std::int64_t posted = begin_of(rank_.events[own.receives[r].posted]);
      const std::int64_t began = here(sender, over.enter_ns);
      const std::int64_t took_ns = here(sender, over.leave_ns) - began;
      Sent& each = seen[is_blocking(sent) ? 1 : 0][log2_of(sent.bytes)];
      const bool also_receives = also_receives_[sender.rank][sent.completed];
      if (posted <= began) {
        if (!also_receives) each.met.push_back(took_ns);
      } else if (!also_receives || posted > began + took_ns) {
        each.late.push_back({posted - began, took_ns});
      }
    }
    return seen;
  }

  /// Bytes of the largest message to this rank; call this after sent.
  std::uint64_t largest() const { return largest_; }

  FoundCells run(const Protocol& protocol) {
    protocol_ = &protocol;
    const RankEnds& own = ends_[number_];
    completed_sends_ = by_completion(own.sends);
    completed_receives_ = by_completion(own.receives);
    std::size_t s = 0, r = 0, cs = 0, cr = 0;
    for (std::uint32_t e = 0; e < rank_.events.size(); ++e) {
      Served served;
      bool waits = false;
      for (; s < own.sends.size() && own.sends[s].posted == e; ++s) {
        add_send(served, own.sends[s]);
      }
      for (; r < own.receives.size() && own.receives[r].posted == e; ++r) {
        const bool blocking = own.receives[r].completed == e;
        add_receive(served, static_cast<std::uint32_t>(r), blocking);
        waits |= blocking;
      }
      const bool posts = served.ends() > 0;
      for (; cs < completed_sends_.size() && completed(own.sends, completed_sends_[cs]) == e;
           ++cs) {
        if (!posts) add_send(served, own.sends[completed_sends_[cs]]);
      }
      for (;
           cr < completed_receives_.size() && completed(own.receives, completed_receives_[cr]) == e;
           ++cr) {
        if (!posts) add_receive(served, completed_receives_[cr], true);
        waits |= !posts;
      }
      if (served.ends() > 0) count(e, served, posts, waits);
    }
    for (auto& [cell, kept] : found_.cells) kept.thin();
    return std::move(found_);
  }

 private:
  static std::uint32_t completed(const std::vector<MessageEnd>& ends, std::uint32_t end) {
    return ends[end].completed;
  }

  /// Indices of the completed ends, in the order of the calls that complete them.
  static std::vector<std::uint32_t> by_completion(const std::vector<MessageEnd>& ends) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < ends.size(); ++i) {
      if (ends[i].completed != MessageEnd::kNone) order.push_back(i);
    }
    const auto call = [&](std::uint32_t end) { return ends[end].completed; };
    if (!std::ranges::is_sorted(order, {}, call)) std::ranges::stable_sort(order, {}, call);
    return order;
  }

  /// An upper bound on the lead of this rank's clock over that of each sender.
  void bound_clocks() {
    const RankEnds& own = ends_[number_];
    for (std::size_t r = 0; r < own.receives.size(); ++r) {
      const Sender sender = senders_[r];
      const std::uint32_t done = own.receives[r].completed;
      if (sender.rank == Sender::kNone || done == MessageEnd::kNone) continue;
      const RankTrace& from = trace_.ranks[sender.rank];
      const std::int64_t took = rank_.events[done].leave_ns -
                                from.events[ends_[sender.rank].sends[sender.send].posted].enter_ns;
      const auto [known, is_first] = ahead_ns_.try_emplace(sender.rank, took);
      if (!is_first) known->second = std::min(known->second, took);
    }
  }

  void add_send(Served& served, const MessageEnd& end) const {
    ++served.sends;
    served.bytes += static_cast<double>(end.bytes);
    served.rendezvous |= protocol_->waits(end);
    served.to_itself |= end.world == static_cast<std::int32_t>(number_);
  }

  void add_receive(Served& served, std::uint32_t receive, bool completes) const {
    ++served.receives;
    const Sender sender = senders_[receive];
    if (sender.rank == Sender::kNone) {
      served.unknown = true;
      return;
    }
    const MessageEnd& sent = ends_[sender.rank].sends[sender.send];
    served.bytes += static_cast<double>(sent.bytes);
    served.bytes_received += static_cast<double>(sent.bytes);
    served.rendezvous |= protocol_->waits(sent);
    served.to_itself |= sender.rank == number_;
    if (completes) served.early_ns = std::min(served.early_ns, left_ago(sender, sent));
  }

  /// The latest instant, by this rank's clock (or the common one), that a sender's time may be.
  std::int64_t here(const Sender& sender, std::int64_t ns) const {
    const RankTrace& from = trace_.ranks[sender.rank];
    if (trace_.no_common_clock.empty()) {
      return from.common.at(ns) + from.common.error_ns + rank_.common.error_ns;
    }
    const auto ahead = ahead_ns_.find(sender.rank);
    return ahead == ahead_ns_.end() ? std::numeric_limits<std::int64_t>::max() / 2
                                    : ns + ahead->second;
  }

  /// The negative of the latest arrival of the message.
  std::int64_t left_ago(const Sender& sender, const MessageEnd& sent) const {
    const double more = sent.bytes > 0 ? static_cast<double>(sent.bytes - 1) : 0;
    const auto travels = std::llround(travel_.first_ns + more * travel_.per_byte_ns);
    return -(here(sender, trace_.ranks[sender.rank].events[sent.posted].leave_ns) + travels);
  }

  std::int64_t begin_of(const Event& event) const {
    return trace_.no_common_clock.empty() ? rank_.common.at(event.enter_ns) : event.enter_ns;
  }

  void count(std::uint32_t e, const Served& served, bool posts, bool waits) {
    const Event& event = rank_.events[e];
    if (served.to_itself) {
      found_.to_itself += served.ends();
    } else if (served.rendezvous) {
      found_.rendezvous += served.ends();
    } else if (served.unknown || (event.flags & (kUnrecorded | kUnsupported | kOpen)) != 0 ||
               (!posts && has_others(event))) {
      found_.unknown += served.ends();
    } else if (posts && !waits && served.sends > 0 && served.receives > 0) {
      // Started together: each kind has its share of the duration.
      record(e, Service::send, served.sends, served.ends(),
             (served.bytes - served.bytes_received) / served.sends, true);
      record(e, Service::post, served.receives, served.ends(),
             served.bytes_received / served.receives, true);
    } else {
      const Service service = service_of(served, posts, waits);
      const bool receives = service == Service::receive || service == Service::complete;
      const std::uint32_t ends = receives ? served.receives : served.ends();
      const double bytes = receives ? served.bytes_received : served.bytes;
      const bool was_there = !waits || begin_of(event) + served.early_ns >= 0;
      if (!was_there) found_.waited += served.receives;
      record(e, service, ends, ends, bytes / ends, was_there);
    }
  }

  static Service service_of(const Served& served, bool posts, bool waits) {
    if (posts && waits) return served.sends > 0 ? Service::exchange : Service::receive;
    if (posts) return served.sends > 0 ? Service::send : Service::post;
    return served.receives > 0 ? Service::complete : Service::complete_send;
  }

  /// Whether a completion completes anything other than the messages under study.
  bool has_others(const Event& event) const {
    return std::ranges::any_of(requests_of(rank_, event), [&](std::uint32_t request) {
      if (request >= rank_.events.size()) return true;
      switch (class_of(rank_.events[request].call)) {
        case CallClass::isend:
        case CallClass::irecv:
        case CallClass::isendrecv:
        case CallClass::persistent:
          return false;
        default:
          return true;
      }
    });
  }

  /// Adds a call to the cell of its service. The call serves `all` message ends, and `ends` of
  /// these by this service; `bytes` is their mean size. Unless the call `was_there` after
  /// all its messages, only its ends count.
  void record(std::uint32_t e, Service service, std::uint32_t ends, std::uint32_t all, double bytes,
              bool was_there) {
    const Event& event = rank_.events[e];
    const std::uint32_t log2 = log2_of(static_cast<std::uint64_t>(std::ceil(bytes)));
    Kept& kept = found_.cells[{service, event.call, log2}];
    kept.ends += ends;
    if (!was_there) return;
    ++kept.calls;
    const std::int64_t took =
        std::max<std::int64_t>(event.leave_ns - event.enter_ns - rank_.call_cost_ns, 0);
    const auto block =
        static_cast<std::uint32_t>(number_ * kBlocks + e * kBlocks / rank_.events.size());
    kept.add({hash_of((std::uint64_t{number_} << 32) | e), static_cast<double>(took) / all, bytes,
              ends, block});
  }

  const Trace& trace_;
  const Travel& travel_;
  const std::vector<RankEnds>& ends_;
  const std::vector<std::vector<bool>>&
      also_receives_;  ///< by rank and event: whether an event that posts sends also waits for
                       ///< receives
  const std::vector<Sender>& senders_;
  std::uint32_t number_;
  const RankTrace& rank_;
  const Protocol* protocol_ = nullptr;
  std::uint64_t largest_ = 0;
  std::unordered_map<std::uint32_t, std::int64_t> ahead_ns_;  ///< by sender
  std::vector<std::uint32_t> completed_sends_;
  std::vector<std::uint32_t> completed_receives_;
  FoundCells found_;
};

SentBySize all_of(std::vector<SentBySize> parts) {
  SentBySize all{};
  for (SentBySize& part : parts) {
    for (const std::size_t blocking : {0U, 1U}) {
      for (std::size_t log2 = 0; log2 < kSizes; ++log2) {
        all[blocking][log2].add(std::move(part[blocking][log2]));
      }
    }
  }
  return all;
}

CallCosts costs_of(const Cell& cell, Kept kept) {
  kept.thin();
  std::ranges::sort(kept.samples, {}, [](const Kept::Sample& each) {
    return std::tuple(each.ns, each.hash);  // the estimator needs this order
  });
  CallCosts costs{std::get<0>(cell),
                  std::get<1>(cell),
                  std::get<2>(cell),
                  kept.ends,
                  kept.calls,
                  {},
                  {},
                  {},
                  {}};
  for (const Kept::Sample& each : kept.samples) {
    costs.ns.push_back(each.ns);
    costs.bytes.push_back(each.bytes);
    costs.share.push_back(each.share);
    costs.block.push_back(each.block);
  }
  return costs;
}

}  // namespace

std::uint32_t log2_of(std::uint64_t bytes) noexcept {
  return bytes > 1 ? static_cast<std::uint32_t>(std::bit_width(bytes - 1)) : 0;
}

std::string_view name_of(Service service) noexcept {
  return kServices[static_cast<std::size_t>(service)];
}

Service service_named(std::string_view name) {
  const auto found = std::ranges::find(kServices, name);
  if (found == kServices.end()) throw InputError("no service is named " + std::string(name));
  return static_cast<Service>(found - kServices.begin());
}

Overheads overheads(const Trace& trace, const Travel& travel, unsigned threads) {
  const std::size_t ranks = trace.ranks.size();
  std::vector<RankEnds> ends(ranks);
  std::vector<RankPostings> postings(ranks);
  std::vector<std::vector<Sender>> senders(ranks);
  std::vector<std::vector<bool>> also_receives(ranks);
  parallel_for(ranks, threads, [&](std::size_t rank) {
    ends[rank] = message_ends(trace, trace.ranks[rank]);
    postings[rank] = std::move(ends[rank].postings);
    senders[rank].resize(ends[rank].receives.size());
    also_receives[rank].resize(trace.ranks[rank].events.size());
    for (const MessageEnd& receive : ends[rank].receives) {
      if (receive.completed != MessageEnd::kNone) also_receives[rank][receive.completed] = true;
    }
  });
  match_messages(postings, threads, IntoSenders{senders});
  std::vector<CostsOfRank> each_rank;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    each_rank.emplace_back(trace, travel, ends, also_receives, senders[rank],
                           static_cast<std::uint32_t>(rank));
  }
  std::vector<SentBySize> sent(ranks);
  parallel_for(ranks, threads, [&](std::size_t rank) { sent[rank] = each_rank[rank].sent(); });
  const Protocol protocol(travel, all_of(std::move(sent)));
  std::vector<FoundCells> found(ranks);
  parallel_for(ranks, threads,
               [&](std::size_t rank) { found[rank] = each_rank[rank].run(protocol); });
  Overheads all;
  for (const CostsOfRank& each : each_rank) all.largest = std::max(all.largest, each.largest());
  all.eager_blocking = protocol.limit(true);
  all.eager_nonblocking = protocol.limit(false);
  all.one_clock = trace.no_common_clock.empty();
  std::map<Cell, Kept> cells;
  for (FoundCells& each : found) {
    all.waited += each.waited;
    all.rendezvous += each.rendezvous;
    all.to_itself += each.to_itself;
    all.unknown += each.unknown;
    for (auto& [cell, kept] : each.cells) {
      Kept& to = cells[cell];
      to.ends += kept.ends;
      to.calls += kept.calls;
      for (const Kept::Sample& sample : kept.samples) to.add(sample);
    }
    each.cells.clear();
  }
  for (auto& [cell, kept] : cells) all.costs.push_back(costs_of(cell, std::move(kept)));
  return all;
}

}  // namespace latitude::trace
