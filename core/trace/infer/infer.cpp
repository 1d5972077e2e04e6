#include "core/trace/infer/infer.hpp"

#include <cstdint>
#include <utility>

#include "core/parallel.hpp"
#include "core/trace/infer/communicators.hpp"
#include "core/trace/infer/requests.hpp"

namespace latitude::trace::infer {
namespace {

void warn_of_guesses(Trace& trace, const std::vector<Guesses>& guesses) {
  std::uint64_t count = 0;
  std::string first;
  for (const Guesses& g : guesses) {
    if (count == 0 && g.count != 0) first = g.first;
    count += g.count;
  }
  if (count == 0) return;
  trace.warnings.push_back(
      {"waitany-order", std::to_string(count) +
                            " MPI_Waitany calls had several requests to choose from, and " +
                            trace.format + " does not record which completed (first: " + first +
                            "); the first in the array was taken"});
}

}  // namespace

Trace infer_trace(std::vector<RankLog> logs, std::string format, Mpi mpi, bool leave_open,
                  unsigned threads) {
  Communicators communicators = resolve_communicators(logs);
  RequestSize request_size = RequestSize::unknown;
  for (const RankLog& log : logs) {  // one request with an address that 8 does not divide decides
    if (log.requests.integer_size == RequestSize::four || request_size == RequestSize::unknown) {
      request_size = log.requests.integer_size;
    }
  }
  if (mpi == Mpi::detect) mpi = detect_mpi(logs);
  std::vector<Guesses> guesses(logs.size());
  Trace trace;
  trace.format = std::move(format);
  trace.communicators = std::move(communicators.communicators);
  trace.ranks.resize(logs.size());
  parallel_for(logs.size(), threads, [&](std::size_t r) {
    guesses[r] = resolve_requests(logs[r], request_size, leave_open);
    normalise_rank(logs[r], r, communicators, mpi);
    trace.ranks[r] = std::move(logs[r].trace);
    logs[r] = RankLog{};
  });
  warn_of_guesses(trace, guesses);
  return trace;
}

}  // namespace latitude::trace::infer
