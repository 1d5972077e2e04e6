#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/native/load_for_tests.hpp"

namespace latitude::trace::native {

/// A program that could have run: all ranks make their steps together, and each posting has its
/// match. It is written as the tracer writes, including wildcards and statuses.
class RandomProgram {
 public:
  /// `poll_ns`: cost of a failed poll; 0: not in the trace.
  explicit RandomProgram(unsigned seed, int steps = 40, std::uint64_t poll_ns = 40)
      : random_(seed),
        poll_ns_(poll_ns),
        ranks_(2 + random_() % 4),
        pending_(ranks_),
        next_request_(ranks_, 1) {
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      files_.emplace_back(r, ranks_);
      files_.back().init();
      world_.push_back(static_cast<int>(r));
    }
    comms_.push_back({0, world_});
    for (int step = 0; step < steps; ++step) one_step();
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      while (!pending_[r].empty()) complete(r);
      if (poll_ns > 0) files_[r].poll_takes(poll_ns);
    }
  }

  std::vector<std::string> files() const {
    std::vector<std::string> result;
    for (const FileWriter& file : files_) result.push_back(whole(file));
    return result;
  }

 private:
  struct Comm {
    std::uint64_t number;
    std::vector<int> group;  ///< world ranks
  };
  struct Pending {
    std::uint64_t request;
    bool wildcard = false;
    int source = 0;
    int tag = 0;
  };

  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  FileWriter& file(int rank) {
    FileWriter& file = files_[static_cast<std::size_t>(rank)];
    if (chance(30)) file.flush();
    if (chance(20)) file.gap(below(300)).polls(1 + below(9), chance(30));
    return file.gap(below(300)).lasts(below(2000));
  }

  void one_step() {
    switch (below(9)) {
      case 0:
        return create();
      case 1:
      case 2:
        return collective();
      case 3:
        return sendrecv();
      case 4: {
        const unsigned r = below(ranks_);
        return complete(r);
      }
      default:
        return message();
    }
  }

  const Comm& any_comm() { return comms_[below(comms_.size())]; }

  void message() {
    const Comm& comm = any_comm();
    const auto size = comm.group.size();
    const int from = static_cast<int>(below(size));
    const int to = static_cast<int>(below(size));
    const int tag = static_cast<int>(below(3));
    const std::uint64_t bytes = below(4) * 1000;
    send(comm, from, to, tag, bytes);
    receive(comm, from, to, tag, bytes);
  }

  void send(const Comm& comm, int from, int to, int tag, std::uint64_t bytes) {
    const int rank = comm.group[static_cast<std::size_t>(from)];
    const Fields fields = Fields().u(comm.number).z(to).z(tag).u(bytes);
    const std::uint64_t request = next_request_[static_cast<std::size_t>(rank)];
    switch (below(5)) {
      case 0:
        file(rank).add("MPI_Send", "cptb", fields);
        return;
      case 1:
        file(rank).add(chance(50) ? "MPI_Bsend" : "MPI_Ssend", "cptb", fields);
        return;
      case 2:
        file(rank).add("MPI_Ssend_init", "cptbq", Fields(fields).request(request));
        file(rank).add("MPI_Start", "R", Fields().u(1).request(request));
        break;
      default:
        file(rank).add(chance(50) ? "MPI_Issend" : "MPI_Isend", "cptbq",
                       Fields(fields).request(request));
        if (chance(10)) {
          file(rank).add("MPI_Request_free", "R", Fields().u(1).request(request));
          ++next_request_[static_cast<std::size_t>(rank)];
          return;
        }
    }
    posted(rank, {request});
  }

  void receive(const Comm& comm, int from, int to, int tag, std::uint64_t bytes) {
    const int rank = comm.group[static_cast<std::size_t>(to)];
    const std::uint64_t request = next_request_[static_cast<std::size_t>(rank)];
    const bool wildcard = chance(40);
    const bool any_tag = wildcard && chance(50);
    const Fields asked = Fields()
                             .u(comm.number)
                             .z(wildcard ? -1 : from)
                             .z(any_tag ? -1 : tag)
                             .u(bytes + below(2) * 8);
    switch (below(4)) {
      case 0:
        file(rank).add("MPI_Probe", "cpts", Fields().u(comm.number).z(from).z(tag).as_asked());
        [[fallthrough]];
      case 1: {
        Fields fields = asked;
        file(rank).add("MPI_Recv", "cptbs",
                       wildcard ? fields.received(from, tag, bytes) : fields.as_asked());
        return;
      }
      case 2:
        file(rank).add("MPI_Recv_init", "cptbq", Fields(asked).request(request));
        file(rank).add("MPI_Startall", "R", Fields().u(1).request(request));
        break;
      default:
        file(rank).add("MPI_Irecv", "cptbq", Fields(asked).request(request));
    }
    posted(rank, {request, wildcard, from, tag});
  }

  void posted(int rank, const Pending& pending) {
    pending_[static_cast<std::size_t>(rank)].push_back(pending);
    ++next_request_[static_cast<std::size_t>(rank)];
  }

  /// Completes some of the pending requests, in any order.
  void complete(unsigned rank) {
    std::vector<Pending>& pending = pending_[rank];
    std::ranges::shuffle(pending, random_);
    const std::size_t count = std::min<std::size_t>(pending.size(), below(4));
    Fields fields = Fields().u(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Pending& p = pending.back();
      fields.request(p.request);
      p.wildcard ? fields.received(p.source, p.tag, 8) : fields.as_asked();
      pending.pop_back();
    }
    const char* const names[] = {"MPI_Waitall", "MPI_Waitsome", "MPI_Testsome"};
    const bool may_fail = count > 0 || poll_ns_ > 0;
    file(static_cast<int>(rank)).add(names[below(may_fail ? 3 : 2)], "Q", fields);
  }

  void sendrecv() {
    const Comm& comm = any_comm();
    const int size = static_cast<int>(comm.group.size());
    const bool open = chance(30);  // the ends of the row have no neighbour
    for (int i = 0; i < size; ++i) {
      const int to = open && i + 1 == size ? -2 : (i + 1) % size;
      const int from = open && i == 0 ? -2 : (i + size - 1) % size;
      file(comm.group[static_cast<std::size_t>(i)])
          .add("MPI_Sendrecv", "cptbptbs",
               Fields().u(comm.number).z(to).z(7).u(500).z(from).z(7).u(500).as_asked());
    }
  }

  void collective() {
    const Comm& comm = any_comm();
    const auto size = static_cast<std::int64_t>(comm.group.size());
    struct Kind {
      const char* name;
      bool rooted;
      int lists;  ///< −1: only at the root
    };
    static constexpr Kind kinds[] = {
        {"Bcast", true, 0},      {"Reduce", true, 0},         {"Allreduce", false, 0},
        {"Gather", true, 0},     {"Scatter", true, 0},        {"Allgather", false, 0},
        {"Alltoall", false, 0},  {"Scan", false, 0},          {"Reduce_scatter_block", false, 0},
        {"Gatherv", true, -1},   {"Scatterv", true, -1},      {"Allgatherv", false, 1},
        {"Alltoallv", false, 2}, {"Reduce_scatter", false, 1}};
    const Kind& kind = kinds[below(std::size(kinds))];
    const std::int64_t root = kind.rooted ? below(comm.group.size()) : -2;
    const bool blocking = kind.lists != 0 || chance(60);
    const std::uint64_t flags = below(2);
    for (std::int64_t i = 0; i < size; ++i) {
      const int rank = comm.group[static_cast<std::size_t>(i)];
      const auto block = [](std::int64_t from, std::int64_t to) { return 8 * (from + 2 * to); };
      std::vector<std::int64_t> list;
      std::uint64_t bytes = 4000;
      if (kind.lists > 0 || (kind.lists < 0 && i == root)) {
        list.push_back(size);
        const bool pairs = kind.lists == 2;
        for (std::int64_t k = 0; k < size; ++k) list.push_back(pairs ? block(i, k) : 80 + 8 * k);
        for (std::int64_t k = 0; pairs && k < size; ++k) list.push_back(block(k, i));
      }
      if (kind.lists == 2) {
        bytes = 0;
        for (std::int64_t k = 0; k < size; ++k) bytes += static_cast<std::uint64_t>(block(i, k));
      } else if (kind.lists != 0) {
        bytes = static_cast<std::uint64_t>(80 + 8 * i);
      }
      Fields fields = Fields().u(comm.number).z(root).u(bytes).u(8).u(flags);
      if (kind.lists != 0) fields.list(list);
      std::string name = kind.name;
      if (blocking) {
        file(rank).add("MPI_" + name, kind.lists != 0 ? "cpbefL" : "cpbef", fields);
        continue;
      }
      name[0] = static_cast<char>(name[0] - 'A' + 'a');
      const std::uint64_t request = next_request_[static_cast<std::size_t>(rank)];
      file(rank).add("MPI_I" + name, "cpbefq", fields.request(request));
      posted(rank, {request});
    }
  }

  void create() {
    const Comm parent = any_comm();
    struct Kind {
      const char* name;
      bool whole;  ///< the new group is the parent's
    };
    static constexpr Kind kinds[] = {{"MPI_Comm_dup", true},
                                     {"MPI_Comm_split", false},
                                     {"MPI_Cart_sub", false},
                                     {"MPI_Cart_create", false},
                                     {"MPI_Comm_create", false}};
    const unsigned which = below(std::size(kinds));
    std::vector<std::vector<int>> groups(which == 1 || which == 2 ? 2 : 1);
    for (const int rank : parent.group) {
      if (kinds[which].whole || chance(80)) groups[below(groups.size())].push_back(rank);
    }
    for (std::vector<int>& group : groups) {
      if (!kinds[which].whole) std::ranges::shuffle(group, random_);
    }
    const std::uint64_t first = comms_.back().number + 1;
    for (const int rank : parent.group) {
      std::uint64_t made = 0;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        if (std::ranges::count(groups[g], rank) == 0) continue;
        made = first + g + 1;
        files_[static_cast<std::size_t>(rank)].comm(
            first + g, static_cast<std::uint64_t>(groups[g].front()), first + g, groups[g]);
      }
      file(rank).add(kinds[which].name, "cN", Fields().u(parent.number).u(made));
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!groups[g].empty()) comms_.push_back({first + g, groups[g]});
    }
  }

  std::mt19937 random_;
  const std::uint64_t poll_ns_;
  const unsigned ranks_;
  std::vector<int> world_;
  std::vector<FileWriter> files_;
  std::vector<Comm> comms_;
  std::vector<std::vector<Pending>> pending_;  ///< by rank
  std::vector<std::uint64_t> next_request_;
};

}  // namespace latitude::trace::native
