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

void add(Cases& sum, const Cases& cases) {
  if (sum.count == 0) sum.first = cases.first;
  sum.count += cases.count;
}

/// The cases of all ranks.
Resolution add_up(const std::vector<Resolution>& ranks) {
  Resolution sum;
  for (const Resolution& rank : ranks) {
    add(sum.guesses, rank.guesses);
    add(sum.copied, rank.copied);
    add(sum.undecided, rank.undecided);
    add(sum.tested, rank.tested);
    sum.assumable = sum.assumable && rank.assumable;
  }
  return sum;
}

void refuse_undecided(const Resolution& counts) {
  const Cases& cases = counts.undecided;
  if (cases.count == 0) return;
  throw InputError(
      cases.first + " makes the first of " + std::to_string(cases.count) +
      " requests whose completing call is not known: a test may be missing from this trace, "
      "and copies of a request have another address; " +
      kRetrace +
      (counts.assumable ? ", and --assume wildcards=arrival completes such requests "
                          "when a simulation has done them"
                        : ""));
}

void warn(Trace& trace, const Resolution& counts) {
  const auto add = [&](const Cases& cases, const char* code, const std::string& begin,
                       const char* end) {
    if (cases.count == 0) return;
    trace.warnings.push_back(
        {code, std::to_string(cases.count) + begin + " (first: " + cases.first + "); " + end});
  };
  const std::string not_recorded = ", which " + trace.format + " does not record";
  add(counts.guesses, "waitany-order",
      " MPI_Waitany calls had several requests to choose from, and " + trace.format +
          " does not record which completed",
      "the first in the array was taken");
  add(counts.copied, "copied-requests", " requests were completed through copies" + not_recorded,
      "numbers and positions tell the completing calls");
  add(counts.tested, "tests-unseen", " requests were completed by tests" + not_recorded,
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
  const Resolution counts = add_up(found);
  refuse_undecided(counts);
  warn(trace, counts);
  return trace;
}

}  // namespace latitude::trace::infer
