// Requests that no call completes at the address at which they were posted: unrecorded tests have
// completed them, or waits over copies.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/trace/liballprof/requests_for_tests.hpp"

namespace latitude::trace {
namespace {

/// Outside the addresses at which the tests post.
constexpr std::uint64_t kCopies = 9000;

Trace load_open(const File& file) {
  LiballprofLoader loader({"r0.txt"}, Mpi::detect, true);
  loader.feed(0, file.text());
  return loader.finish();
}

std::vector<Call> calls(const RankTrace& rank) {
  std::vector<Call> calls;
  for (const Event& e : rank.events) calls.push_back(e.call);
  return calls;
}

TEST(LostSends, AreCompletedByNoCall) {
  Requests file;
  file.send(800).send(800).barrier().waitall(1, 800).post(900).wait(900);
  file.send(816);
  const Trace trace = load({file});
  EXPECT_EQ(ids(trace.ranks[0], 4), Ids{2});
  EXPECT_EQ(ids(trace.ranks[0], 6), Ids{5});
  EXPECT_TRUE(trace.warnings.size() == 1 && trace.warnings[0].code == "finalize-gap");
}

TEST(LostSends, OfAPersistentRequestToo) {
  const Trace trace = load({Requests().post(800, "MPI_Send_init").start(800).start(800).wait(800)});
  EXPECT_EQ(ids(trace.ranks[0], 4), Ids{1});
}

TEST(LostSends, AreUndecidedIfACallMayHaveHadACopy) {
  Requests file;
  file.send(800).send(900).wait(900).waitall(2, 900);
  EXPECT_TRUE(says(error_of({file}), {"r0.txt:2: MPI_Isend makes the first of 1 requests"}));
}

TEST(LostReceives, AreCounted) {
  Requests file;
  file.post(800).post(800).post(808).wait(808).post(816);
  EXPECT_TRUE(says(error_of({file, file}),
                   {"r0.txt:2: MPI_Irecv makes the first of 6 requests", "a test may be missing",
                    "the program again", "--assume wildcards=arrival"}));
}

TEST(LostReceives, OfPersistentRequestsAreTheirStarts) {
  EXPECT_TRUE(says(error_of({Requests().post(800, "MPI_Recv_init").start(800).start(800)}),
                   {"r0.txt:3: MPI_Start makes the first of 2 requests"}));
}

TEST(Copies, AreCompletedByTheWaitWithAsManyPlaces) {
  Requests file;
  file.post(800).post(800).send(800).post(808).wait(808).waitall(3, kCopies);
  file.post(800).wait(kCopies + 80);
  const Trace trace = load({file});
  EXPECT_EQ(ids(trace.ranks[0], 5), Ids{4});
  EXPECT_EQ(ids(trace.ranks[0], 6), (Ids{1, 2, 3}));
  EXPECT_EQ(ids(trace.ranks[0], 8), Ids{7});
  const Warning* const warning = warning_of(trace, "copied-requests");
  ASSERT_NE(warning, nullptr);
  EXPECT_TRUE(says(warning->message, {"4 requests", "r0.txt:2"}));
  EXPECT_EQ(load_open(file).ranks[0].events.size(), trace.ranks[0].events.size());
}

TEST(Copies, OfPersistentRequestsAreCompletedBeforeTheNextStart) {
  Requests file;
  file.post(800, "MPI_Recv_init").start(800).wait(kCopies);
  file.start(800).wait(kCopies);
  EXPECT_EQ(ids(load({file}).ranks[0], 3), Ids{1});
  EXPECT_EQ(ids(load({file}).ranks[0], 5), Ids{1});
  Requests both;
  both.post(800, "MPI_Recv_init").start(800).start(800);
  EXPECT_TRUE(says(error_of({both.waitall(2, kCopies)}), {"r0.txt:3: MPI_Start", "of 2 requests"}));
}

TEST(Copies, AreUndecidedWithOtherNumbersOfPlaces) {
  for (const int count : {1, 3, 2147483647}) {
    const std::string error = error_of({Requests().post(800).post(800).waitall(count, kCopies)});
    EXPECT_TRUE(says(error, {"r0.txt:2: MPI_Irecv", "of 2 requests", "the program again"}));
    EXPECT_EQ(error.find("--assume"), std::string::npos);
  }
}

TEST(Copies, AreUndecidedInAnArrayIntoWhichTheProgramPosts) {
  EXPECT_TRUE(says(error_of({Requests().post(800).post(808).waitall(2, 808)}), {"of 1 requests"}));
  EXPECT_TRUE(says(error_of({Requests().post(808).wait(808).post(800).waitall(1, 808)}),
                   {"r0.txt:4: MPI_Irecv", "of 1 requests"}));
  EXPECT_TRUE(says(error_of({Requests().post(808).wait(808).post(800).wait(808)}),
                   {"r0.txt:4: MPI_Irecv", "of 1 requests"}));
}

TEST(Copies, AreUndecidedIfACallCompletesSomeOfThem) {
  for (const char* const name : {"MPI_Waitany", "MPI_Waitsome"}) {
    const char* const rest = name == std::string_view("MPI_Waitany") ? ":1:0" : ":1:2:3";
    EXPECT_TRUE(says(error_of({Requests().post(800).post(800).array(name, 2, kCopies, rest)}),
                     {"of 2 requests"}));
    const Trace trace = load({Requests().post(800).array(name, 1, kCopies, rest)});
    EXPECT_EQ(ids(trace.ranks[0], 2), Ids{1});
  }
  EXPECT_TRUE(says(error_of({Requests().post(800).array("MPI_Testall", 1, kCopies, ":0:0")}),
                   {"of 1 requests"}));
  Requests choice;
  choice.post(800).post(808).post(900).waitany(3, 800).waitany(3, 800).wait(800).wait(808);
  EXPECT_TRUE(says(error_of({choice}), {"r0.txt:4: MPI_Irecv", "of 1 requests"}));
}

TEST(Copies, ArePlacesOnlyWhileARequestIsLost) {
  Requests file;
  file.waitall(3, kCopies).post(800).waitall(5, 800).wait(800);
  file.send(816);
  const Trace trace = load({file});
  EXPECT_EQ(ids(trace.ranks[0], 1), Ids{});
  EXPECT_EQ(ids(trace.ranks[0], 3), Ids{2});
}

TEST(UnseenTests, StandBeforeEachCallUntilTheAddressIsUsedAgain) {
  Requests file;
  file.post(800).post(808).barrier().post(800).wait(800);
  file.send(800);
  const Trace trace = load_open(file);
  const RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(calls(rank), (std::vector<Call>{Call::Init, Call::Irecv, Call::Testsome, Call::Irecv,
                                            Call::Testsome, Call::Barrier, Call::Testsome,
                                            Call::Irecv, Call::Testsome, Call::Wait, Call::Testsome,
                                            Call::Isend, Call::Testsome, Call::Finalize}));
  EXPECT_EQ(ids(rank, 2), Ids{1});
  EXPECT_EQ(ids(rank, 6), (Ids{1, 3}));
  EXPECT_EQ(ids(rank, 8), Ids{3});
  EXPECT_EQ(ids(rank, 9), Ids{7});
  EXPECT_EQ(rank.events[6].enter_ns, rank.events[7].enter_ns);
  EXPECT_EQ(rank.events[6].position, 5U);
  const auto done = [&](std::size_t event) {
    const auto marks = completed_by_then(rank, rank.events[event]);
    return Ids(marks.begin(), marks.end());
  };
  EXPECT_EQ(done(4), (Ids{0, 0}));
  EXPECT_EQ(done(6), (Ids{1, 0}));
  EXPECT_EQ(done(12), Ids{1});
  const Warning* const warning = warning_of(trace, "tests-unseen");
  ASSERT_NE(warning, nullptr);
  EXPECT_TRUE(says(warning->message, {"2 requests", "r0.txt:2"}));
}

TEST(UnseenTests, AreNoneAmongPossibleCopies) {
  LiballprofLoader loader({"r0.txt"}, Mpi::detect, true);
  loader.feed(0, Requests().post(800).post(800).waitall(1, kCopies).text());
  EXPECT_THROW(loader.finish(), InputError);
}

TEST(UnseenTests, AreNotTooMany) {
  Requests file;
  for (std::uint64_t i = 0; i < 9000; ++i) file.post(kCopies + 8 * i);
  try {
    load_open(file);
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    EXPECT_TRUE(says(error.what(), {"MPI_Irecv and similar calls", "too many to simulate"}));
  }
}

/// A random program of one rank. It posts at addresses of an array, some of whose places are null,
/// or at one address from which it copies the request. Waits complete its requests, or tests that
/// are not in the file.
class RandomRequests {
 public:
  explicit RandomRequests(unsigned seed) : random_(seed) {
    const bool copies = chance(50);
    const bool tests = chance(50);
    const bool nulls = chance(50);
    post(kArray);  // at a place of every wait for the array, which thus has no copies
    wait_for_each();
    for (int step = 0; step < 12; ++step) {
      switch (random_() % 5) {
        case 0:
        case 1:
          post(kArray + 8 * (random_() % kPlaces));
          break;
        case 2:
          if (copies) copy();
          break;
        case 3:
          wait(nulls);
          break;
        default:
          if (tests) test();
      }
    }
    if (!copied_.empty()) wait_for_copies();
    wait_for_each();
    for (const auto& [address, event] : active_) lost_.push_back(event);
    std::ranges::sort(lost_);
  }

  const Requests& file() const { return file_; }
  /// Completing call of each receive, or 0: a test that is not in the file.
  const std::map<std::int64_t, std::int64_t>& truth() const { return completed_in_; }
  bool is_receive(std::int64_t event) const { return receives_.at(event); }
  /// Number of requests whose completion no reader can know. A test completed these receives, or a
  /// call with another number of free places followed.
  std::size_t undecided() const {
    std::size_t count = 0;
    std::vector<std::int64_t> before;
    auto next = lost_.begin();
    for (const auto& [event, places] : free_) {
      while (next != lost_.end() && *next < event) before.push_back(*next++);
      const bool decided = places.second && places.first == before.size();
      if (!decided) count += before.size();
      before.clear();
    }
    before.insert(before.end(), next, lost_.end());
    count += static_cast<std::size_t>(
        std::ranges::count_if(before, [&](std::int64_t event) { return is_receive(event); }));
    return count;
  }

 private:
  static constexpr std::uint64_t kArray = 800;
  static constexpr std::uint64_t kTemporary = 8000;
  static constexpr unsigned kPlaces = 4;

  bool chance(unsigned percent) { return random_() % 100 < percent; }

  std::int64_t post_at(std::uint64_t address) {
    const bool receives = chance(60);
    file_.post(address, receives ? "MPI_Irecv" : "MPI_Isend");
    receives_[++event_] = receives;
    completed_in_[event_] = 0;
    return event_;
  }

  void post(std::uint64_t address) {
    const auto before = active_.find(address);
    if (before != active_.end()) {
      if (!tested_.contains(before->second)) return;
      lost_.push_back(before->second);
    }
    active_[address] = post_at(address);
  }

  void copy() {
    copied_.push_back(post_at(kTemporary));
    lost_.push_back(copied_.back());
    if (chance(40)) wait_for_copies();
  }

  void wait_for_copies() {
    file_.waitall(static_cast<int>(copied_.size()), kCopies);
    ++event_;
    free_[event_] = {copied_.size(), true};
    for (const std::int64_t each : copied_) completed_in_[each] = event_;
    copied_.clear();
  }

  /// A test completes a request of the array. A later wait over its place may still seem to.
  void test() {
    for (const auto& [address, event] : active_) {
      if (chance(30)) tested_.insert(event);
    }
  }

  void wait_for_each() {
    std::erase_if(active_, [&](const auto& request) {
      if (tested_.contains(request.second)) return false;
      file_.wait(request.first);
      completed_in_[request.second] = ++event_;
      return true;
    });
  }

  void wait(bool nulls) {
    const unsigned count = 1 + static_cast<unsigned>(random_()) % kPlaces;
    std::size_t free = count;
    std::vector<std::int64_t> completed;
    for (unsigned place = 0; place < count; ++place) {
      const auto at = active_.find(kArray + 8 * place);
      if (at == active_.end()) continue;
      --free;
      completed.push_back(at->second);
    }
    if (free != 0 && !nulls) return;
    file_.waitall(static_cast<int>(count), kArray);
    ++event_;
    if (free != 0) free_[event_] = {free, false};
    for (const std::int64_t each : completed) completed_in_[each] = event_;
    for (unsigned place = 0; place < count; ++place) active_.erase(kArray + 8 * place);
  }

  std::mt19937 random_;
  Requests file_{pointer(0, 0)};
  std::int64_t event_ = 0;
  std::map<std::int64_t, bool> receives_;
  std::map<std::int64_t, std::int64_t> completed_in_;
  std::map<std::uint64_t, std::int64_t> active_;  ///< by address in the array
  std::set<std::int64_t> tested_;
  std::vector<std::int64_t> copied_;
  std::vector<std::int64_t> lost_;
  /// By waiting call: number of places that hold no request posted there, and whether they hold
  /// copies.
  std::map<std::int64_t, std::pair<std::size_t, bool>> free_;
};

TEST(RandomRequestPrograms, AreReadRightOrCounted) {
  constexpr unsigned kPrograms = 4000;
  unsigned accepted = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const RandomRequests program(seed);
    const std::size_t undecided = program.undecided();
    if (undecided != 0) {
      EXPECT_TRUE(says(error_of({program.file()}), {str("first of ", undecided, " requests")}))
          << "seed " << seed << '\n'
          << program.file().text();
      continue;
    }
    ++accepted;
    const RankTrace rank = load({program.file()}).ranks[0];
    std::map<std::int64_t, std::int64_t> read;
    for (std::size_t e = 0; e < rank.events.size(); ++e) {
      if (class_of(rank.events[e].call) != CallClass::completion) continue;
      for (const std::int64_t id : ids(rank, e)) read[id] = static_cast<std::int64_t>(e);
    }
    for (const auto& [posted, call] : program.truth()) {
      EXPECT_EQ(read[posted], call) << "seed " << seed << " event " << posted << '\n'
                                    << program.file().text();
    }
  }
  EXPECT_GT(accepted, kPrograms / 4);
  EXPECT_LT(accepted, kPrograms * 3 / 4);
}

}  // namespace
}  // namespace latitude::trace
