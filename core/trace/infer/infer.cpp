#include "core/trace/infer/infer.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/parallel.hpp"
#include "core/trace/infer/communicators.hpp"
#include "core/trace/infer/fail.hpp"
#include "core/trace/infer/requests.hpp"

namespace latitude::trace::infer {
namespace {

/// The cases of all ranks.
Cases all(const std::vector<Resolution>& ranks, Cases Resolution::* kind) {
  Cases sum;
  for (const Resolution& rank : ranks) {
    const Cases& cases = rank.*kind;
    if (sum.count == 0) sum.first = cases.first;
    sum.count += cases.count;
  }
  return sum;
}

void refuse_undecided(const std::vector<Resolution>& ranks) {
  const Cases cases = all(ranks, &Resolution::undecided);
  if (cases.count == 0) return;
  const bool assumable = std::ranges::all_of(ranks, &Resolution::assumable);
  throw InputError(cases.first + " makes the first of " + std::to_string(cases.count) +
                   " requests whose completing call is not known: tests are not in this trace, "
                   "and copies of a request have another address; " +
                   kRetrace +
                   (assumable ? ", and --assume wildcards=arrival completes such requests when a "
                                "simulation has done them"
                              : ""));
}

void warn(Trace& trace, const std::vector<Resolution>& ranks) {
  const auto add = [&](const char* code, const Cases& cases, const std::string& begin,
                       const char* end) {
    if (cases.count == 0) return;
    trace.warnings.push_back(
        {code, std::to_string(cases.count) + begin + " (first: " + cases.first + "); " + end});
  };
  add("waitany-order", all(ranks, &Resolution::guesses),
      " MPI_Waitany calls had several requests to choose from, and " + trace.format +
          " does not record which completed",
      "the first in the array was taken");
  add("copied-requests", all(ranks, &Resolution::copied),
      " requests were completed through copies, which " + trace.format + " does not record",
      "numbers and positions tell the completing calls");
  add("tests-unseen", all(ranks, &Resolution::tested),
      " requests were completed by tests, which " + trace.format + " does not record",
      "a simulation chose the places of these tests, and waits in them count as computation");
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
  std::vector<Resolution> found(logs.size());
  Trace trace;
  trace.format = std::move(format);
  trace.communicators = std::move(communicators.communicators);
  trace.ranks.resize(logs.size());
  parallel_for(logs.size(), threads, [&](std::size_t r) {
    found[r] = resolve_requests(logs[r], request_size, leave_open);
    normalise_rank(logs[r], r, communicators, mpi);
    add_tests(logs[r].trace, std::exchange(found[r].open, {}));
    trace.ranks[r] = std::move(logs[r].trace);
    logs[r] = RankLog{};
  });
  refuse_undecided(found);
  warn(trace, found);
  return trace;
}

}  // namespace latitude::trace::infer
