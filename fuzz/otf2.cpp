// Whatever OTF2's library reports of an archive is either a sound trace, and that a sound graph, or
// an InputError. (Its files are parsed by the library, which is not ours.)
//
// Input: byte 0 chooses ranks and what is left out, byte 1 how many communicators follow, a byte of
// members each; then calls: the rank, the region, a gap, a duration, how many records, those.
// Numbers are a byte, or after 255 eight.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/trace/otf2/assemble.hpp"
#include "fuzz/graph_of_trace_check.hpp"
#include "fuzz/trace_check.hpp"

namespace {

using namespace latitude;
using namespace latitude::trace;

constexpr std::string_view kRegions[] = {"MPI_Init",           "MPI_Finalize",
                                         "MPI_Send",           "MPI_Recv",
                                         "MPI_Sendrecv",       "MPI_Isend",
                                         "MPI_Irecv",          "MPI_Wait",
                                         "MPI_Waitall",        "MPI_Test",
                                         "MPI_Barrier",        "MPI_Bcast",
                                         "MPI_Reduce",         "MPI_Allreduce",
                                         "MPI_Gather",         "MPI_Gatherv",
                                         "MPI_Scatter",        "MPI_Scatterv",
                                         "MPI_Allgather",      "MPI_Allgatherv",
                                         "MPI_Alltoall",       "MPI_Alltoallv",
                                         "MPI_Scan",           "MPI_Exscan",
                                         "MPI_Reduce_scatter", "MPI_Iallreduce",
                                         "MPI_Ialltoallw",     "MPI_Neighbor_alltoall",
                                         "MPI_Comm_dup",       "MPI_Comm_create_group",
                                         "MPI_Comm_free",      "MPI_Send_init",
                                         "MPI_Recv_init",      "MPI_Start",
                                         "MPI_Startall",       "MPI_Request_free",
                                         "MPI_Cancel",         "MPI_Probe",
                                         "MPI_Mprobe",         "MPI_Put",
                                         "MPI_Psend_init",     "MPI_Pready",
                                         "MPI_Isendrecv",      "MPI_Allreduce_init",
                                         "MPI_Wtime",          "MPI_",
                                         "mpi_send",           "MPI_SEND"};

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool empty() const { return left_ == 0; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  std::uint64_t number() {
    std::uint64_t value = byte();
    if (value != 255) return value;
    value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

otf2::Record record(Input& input) {
  otf2::Record record{};
  record.kind =
      static_cast<otf2::Kind>(input.byte() % (static_cast<unsigned>(otf2::Kind::comm_create) + 1));
  record.peer = static_cast<std::uint32_t>(input.number());
  record.tag = static_cast<std::uint32_t>(input.number());
  record.comm = input.byte();
  record.bytes = input.number();
  record.received = input.number();
  record.request = input.byte();
  return record;
}

class Program {
 public:
  explicit Program(Input& input) {
    const unsigned choice = input.byte();
    archive_.source = "a.otf2";
    archive_.regions.assign(std::begin(kRegions), std::end(kRegions));
    archive_.ranks.resize(1 + (choice & 3));
    archive_.inter_communicators = {200};
    add_communicators(input);
    for (otf2::Log& log : archive_.ranks) {
      log.source = "a.otf2 location " + std::to_string(&log - archive_.ranks.data());
      if ((choice & 4) == 0) call(log, 0, 0, 1);
    }
    while (!input.empty()) add_call(input);
    for (otf2::Log& log : archive_.ranks) {
      if ((choice & 8) == 0) call(log, 1, 0, 1);
    }
  }
  const otf2::Archive& archive() const { return archive_; }

 private:
  /// Of the ranks whose bits are set, and with the highest one in descending order; of none: each
  /// has one of its own.
  void add_communicators(Input& input) {
    const unsigned count = input.byte() % 5;
    for (unsigned id = 0; id < count; ++id) {
      const unsigned members = input.byte();
      std::vector<std::int32_t> group;
      for (std::size_t rank = 0; rank < archive_.ranks.size(); ++rank) {
        if ((members >> rank & 1) != 0) {
          group.push_back(static_cast<std::int32_t>(rank));
        }
      }
      if ((members & 128) != 0) std::ranges::reverse(group);
      if (group.empty()) {
        archive_.of_one_each.push_back(id);
      } else {
        archive_.communicators.emplace_back(id, std::move(group));
      }
    }
  }

  void call(otf2::Log& log, std::uint32_t region, std::int64_t gap_ns, std::int64_t lasts_ns) {
    const auto number = static_cast<std::uint32_t>(log.calls.size() + 1);
    const auto records = static_cast<std::uint32_t>(log.records.size());
    const std::int64_t enter_ns = log.end_ns + gap_ns;
    log.end_ns = enter_ns + lasts_ns;
    log.calls.push_back({enter_ns, log.end_ns, region, number, records});
  }

  void add_call(Input& input) {
    otf2::Log& log = archive_.ranks[input.byte() % archive_.ranks.size()];
    const auto region = static_cast<std::uint32_t>(input.byte() % std::size(kRegions));
    const std::int64_t gap_ns = input.byte();
    if (gap_ns == 255) {  // the tracer wrote, from before the last event until now
      log.out.push_back({std::max<std::int64_t>(0, log.end_ns - 100), log.end_ns + 100});
    }
    call(log, region, gap_ns, input.byte());
    for (unsigned left = input.byte() % 4; left > 0; --left) log.records.push_back(record(input));
  }

  otf2::Archive archive_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const Program program(input);
  try {
    Trace read = otf2::assemble(program.archive(), 1);
    check_trace(read);
    check_graph_of(read);
  } catch (const InputError& error) {
    check_message(error.what());
  }
  return 0;
}
