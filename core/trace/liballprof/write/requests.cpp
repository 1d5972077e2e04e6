#include "core/trace/liballprof/write/requests.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>

#include "core/trace/event_args.hpp"

namespace latitude::trace::liballprof {
namespace {

constexpr std::uint64_t kFirst = 0x7f0000000000;

class Places {
 public:
  explicit Places(const RankTrace& rank) : rank_(rank) {}

  std::vector<std::uint64_t> run() {
    for (now_ = 0; now_ < rank_.events.size(); ++now_) {
      const Event& e = rank_.events[now_];
      switch (class_of(e.call)) {
        case CallClass::isend:
        case CallClass::irecv:
        case CallClass::icollective:
          post(now_);
          break;
        case CallClass::start:
          for (const std::uint32_t id : requests_of(rank_, e)) post(id);
          break;
        case CallClass::completion:
          place(request_values(rank_, e));
          break;
        case CallClass::request_free:
          for (const std::int64_t& id : request_values(rank_, e)) place({&id, 1});
          break;
        default:
          break;
      }
    }
    for (const auto& [id, request] : active_) address_[request.post] = fresh(1);
    return std::move(address_);
  }

 private:
  struct Active {
    std::size_t post;
    std::size_t since;
  };
  struct Block {
    std::size_t free_since;
    std::uint64_t address;
  };

  void post(std::size_t id) {
    active_[id] = {address_.size(), now_};
    address_.push_back(0);
  }

  std::uint64_t fresh(std::size_t count) {
    const std::uint64_t address = next_;
    next_ += kRequestSize * count;
    return address;
  }

  /// Gives requests that are completed together neighbouring addresses that no request has had
  /// since the first of these was posted.
  void place(std::span<const std::int64_t> ids) {
    std::vector<std::size_t> posts;
    std::size_t since = now_;
    for (const std::int64_t id : ids) {
      const auto found = active_.find(static_cast<std::size_t>(id));
      if (found == active_.end()) continue;  // a persistent request that is not active
      posts.push_back(found->second.post);
      since = std::min(since, found->second.since);
      active_.erase(found);
    }
    if (posts.empty()) return;
    std::deque<Block>& free = free_[posts.size()];
    std::uint64_t address;
    if (!free.empty() && free.front().free_since < since) {
      address = free.front().address;
      free.pop_front();
    } else {
      address = fresh(posts.size());
    }
    free.push_back({now_, address});
    for (const std::size_t post : posts) {
      address_[post] = address;
      address += kRequestSize;
    }
  }

  const RankTrace& rank_;
  std::size_t now_ = 0;
  std::vector<std::uint64_t> address_;              ///< by post
  std::unordered_map<std::size_t, Active> active_;  ///< by id
  std::map<std::size_t, std::deque<Block>> free_;   ///< by size
  std::uint64_t next_ = kFirst;
};

}  // namespace

std::vector<std::uint64_t> place_requests(const RankTrace& rank) { return Places(rank).run(); }

}  // namespace latitude::trace::liballprof
