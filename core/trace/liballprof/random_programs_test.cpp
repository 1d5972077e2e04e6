// Random programs with known communicators, written as by liballprof: if the reader accepts one,
// its result must be right.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/trace/liballprof/text_for_tests.hpp"

namespace latitude::trace {
namespace {

/// Runs all ranks in lock step and gives out handles as Open MPI does: in Fortran the lowest free
/// integer of the process, in C the address that was freed last, or a new one.
class RandomProgram {
 public:
  RandomProgram(unsigned seed, bool c)
      : random_(seed),
        c_(c),
        ranks_(2 + random_() % 4),
        files_(ranks_),
        truth_(ranks_),
        free_(ranks_),
        next_(ranks_, 3) {
    Comm world;
    for (unsigned r = 0; r < ranks_; ++r) {
      world.group.push_back(static_cast<int>(r));
      world.handle[r] = c ? pointer(static_cast<int>(r), 0) : 0;
    }
    comms_.push_back(world);
    live_.push_back(0);
    for (unsigned r = 0; r < ranks_; ++r) mention(0, r);
    for (int step = 0; step < 25; ++step) one_step();
  }

  /// Per rank, the communicator (index into groups()) of each event that has one.
  const std::vector<std::vector<std::size_t>>& truth() const { return truth_; }
  const std::vector<std::int32_t>& group(std::size_t comm) const { return comms_[comm].group; }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const File& file : files_) texts.push_back(file.text());
    return texts;
  }

 private:
  struct Comm {
    std::vector<std::int32_t> group;
    std::map<unsigned, std::uint64_t> handle;
    std::map<unsigned, std::uint64_t> variable;
  };

  bool chance(unsigned percent) { return random_() % 100 < percent; }
  std::size_t any() { return live_[random_() % live_.size()]; }

  std::string field(std::size_t comm, unsigned rank) const {
    const auto& group = comms_[comm].group;
    const auto at = std::ranges::find(group, static_cast<std::int32_t>(rank)) - group.begin();
    return trace::comm(comms_[comm].handle.at(rank), static_cast<int>(at),
                       static_cast<int>(group.size()));
  }

  void mention(std::size_t comm, unsigned rank) {
    files_[rank].add("MPI_Comm_rank", str(field(comm, rank), ":5"));
  }

  void event(std::size_t comm, unsigned rank, const char* name, const std::string& before,
             const std::string& after = "") {
    files_[rank].add(name, str(before, field(comm, rank), after));
    truth_[rank].push_back(comm);
  }

  void one_step() {
    switch (random_() % 8) {
      case 0:
        return dup(any());
      case 1:
        return split(any());
      case 2:
        return free();
      case 3:
        return collective(any(), "MPI_Barrier", "");
      case 4:
        return collective(any(), "MPI_Allreduce", "1:2:3:10,8,8:3:");
      case 5:
        return collective(any(), "MPI_Bcast", "1:2:10,8,8:0:");
      case 6:
        return message(any());
      default: {
        const std::size_t comm = any();
        const auto& group = comms_[comm].group;
        return mention(comm, static_cast<unsigned>(group[random_() % group.size()]));
      }
    }
  }

  void collective(std::size_t comm, const char* name, const std::string& before) {
    for (const std::int32_t r : comms_[comm].group) {
      event(comm, static_cast<unsigned>(r), name, before);
    }
  }

  void message(std::size_t comm) {
    const auto& group = comms_[comm].group;
    const std::size_t from = random_() % group.size();
    const std::size_t to = random_() % group.size();
    const std::uint64_t tag = random_() % 3;
    event(comm, static_cast<unsigned>(group[from]), "MPI_Send",
          str("1:1:1,4,4:", to, ':', tag, ':'));
    event(comm, static_cast<unsigned>(group[to]), "MPI_Recv",
          str("1:1:1,4,4:", from, ':', tag, ':'), ":0");
  }

  std::uint64_t new_handle(unsigned rank) {
    auto& freed = free_[rank];
    if (freed.empty()) {
      const int n = next_[rank]++;
      return c_ ? pointer(static_cast<int>(rank), n) : static_cast<std::uint64_t>(n);
    }
    const auto taken = c_ ? freed.end() - 1 : std::ranges::min_element(freed);
    const std::uint64_t handle = *taken;
    freed.erase(taken);
    return handle;
  }

  void give(std::size_t comm, unsigned rank, std::uint64_t variable) {
    comms_[comm].handle[rank] = new_handle(rank);
    comms_[comm].variable[rank] = variable;
    content_[{rank, variable}] = comm;
  }

  void dup(std::size_t parent) {
    Comm made;
    made.group = comms_[parent].group;
    const std::uint64_t variable = 700 + 8 * (random_() % 6);
    comms_.push_back(made);
    live_.push_back(comms_.size() - 1);
    for (const std::int32_t r : made.group) {
      const auto rank = static_cast<unsigned>(r);
      event(parent, rank, "MPI_Comm_dup", "", str(':', variable));
      give(comms_.size() - 1, rank, variable);
    }
  }

  void split(std::size_t parent) {
    const std::vector<std::int32_t> group = comms_[parent].group;
    const std::uint64_t variable = 700 + 8 * (random_() % 6);
    std::map<int, std::vector<std::pair<int, std::int32_t>>> colours;  // → (key, world rank)
    for (const std::int32_t r : group) {
      const int colour = chance(15) ? -32766 : static_cast<int>(random_() % 2);
      const int key = static_cast<int>(random_() % 3);
      event(parent, static_cast<unsigned>(r), "MPI_Comm_split", "",
            str(':', colour, ':', key, ':', variable));
      content_.erase({static_cast<unsigned>(r), variable});  // MPI_COMM_NULL, or new below
      if (colour >= 0) colours[colour].emplace_back(key, r);
    }
    for (auto& [colour, members] : colours) {
      std::ranges::stable_sort(members, {}, &std::pair<int, std::int32_t>::first);
      Comm made;
      for (const auto& [key, r] : members) made.group.push_back(r);
      comms_.push_back(made);
      live_.push_back(comms_.size() - 1);
      for (const std::int32_t r : made.group) {
        give(comms_.size() - 1, static_cast<unsigned>(r), variable);
      }
    }
  }

  void free() {
    const std::size_t comm = any();
    if (comm == 0) return;
    std::erase(live_, comm);
    const bool copied = chance(15);
    for (const std::int32_t r : comms_[comm].group) {
      const auto rank = static_cast<unsigned>(r);
      // The program frees through the variable, or through a copy if the variable now holds another
      // communicator.
      const std::uint64_t variable = comms_[comm].variable[rank];
      const auto content = content_.find({rank, variable});
      const bool overwritten = content == content_.end() || content->second != comm;
      files_[rank].add("MPI_Comm_free", str(copied || overwritten ? 5000 + comm : variable));
      free_[rank].push_back(comms_[comm].handle[rank]);
    }
  }

  std::mt19937 random_;
  const bool c_;
  const unsigned ranks_;
  std::vector<File> files_;
  std::vector<std::vector<std::size_t>> truth_;
  std::vector<std::vector<std::uint64_t>> free_;  ///< rank → handles to reuse
  std::vector<int> next_;
  std::vector<Comm> comms_;
  std::vector<std::size_t> live_;
  std::map<std::pair<unsigned, std::uint64_t>, std::size_t>
      content_;  ///< communicators in MPI_Comm variables
};

bool has_comm(const Event& e) {
  switch (class_of(e.call)) {
    case CallClass::send:
    case CallClass::recv:
    case CallClass::collective:
    case CallClass::comm_create:
      return true;
    default:
      return false;
  }
}

class RandomPrograms : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Handles, RandomPrograms, testing::Bool(),
                         [](const auto& info) { return info.param ? "C" : "Fortran"; });

TEST_P(RandomPrograms, AreReadRightOrNotAtAll) {
  constexpr unsigned kPrograms = 3000;
  unsigned accepted = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const RandomProgram program(seed, GetParam());
    Trace trace;
    try {
      trace = load_texts(program.texts());
    } catch (const InputError& error) {
      EXPECT_TRUE(says(error.what(), {"communicator", "the program again"})) << "seed " << seed;
      continue;
    }
    ++accepted;
    std::map<std::size_t, std::set<std::uint32_t>> read_as;
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
      std::size_t n = 0;
      for (const Event& e : trace.ranks[r].events) {
        if (!has_comm(e)) continue;
        const std::size_t truth = program.truth()[r][n++];
        ASSERT_EQ(trace.communicators[e.comm].group, program.group(truth))
            << "seed " << seed << ' ' << where(trace.ranks[r], e);
        read_as[truth].insert(e.comm);
      }
      ASSERT_EQ(n, program.truth()[r].size());
    }
    // With several processes, one communicator is read as one communicator by all its members.
    for (const auto& [truth, comms] : read_as) {
      EXPECT_EQ(comms.size(), 1u) << "seed " << seed << " communicator " << truth;
    }
  }
  RecordProperty("accepted", static_cast<int>(accepted));
  EXPECT_GT(accepted, kPrograms / 2);
}

}  // namespace
}  // namespace latitude::trace
