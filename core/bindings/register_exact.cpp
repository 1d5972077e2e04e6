#include <nanobind/stl/array.h>

#include <array>
#include <cstdint>
#include <utility>

#include "core/bindings/register.hpp"
#include "core/error.hpp"
#include "core/exact/longest_paths.hpp"

namespace latitude::bindings {
namespace {

using namespace nb::literals;
using exact::Int;
using exact::Line;
using exact::LongestPaths;
using exact::Side;

using Column = Given<std::int64_t>;
using Words = Given<std::int64_t, 2>;
constexpr unsigned kWord = 64;

std::span<const std::int64_t> span(const Column& column) { return {column.data(), column.size()}; }

/// A whole number from its high and low words.
Int whole(const std::int64_t* words) {
  return (Int{words[0]} << kWord) | static_cast<std::uint64_t>(words[1]);
}

void put(Int value, std::vector<std::int64_t>& words) {
  words.push_back(static_cast<std::int64_t>(value >> kWord));
  words.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(value)));
}

Array<std::int64_t> words_of(const Line* lines, std::size_t count) {
  std::vector<std::int64_t> words;
  words.reserve(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    put(lines[i].constant, words);
    put(lines[i].slope, words);
  }
  return to_array(std::move(words));
}

exact::Theta theta_of(const Column& words) {
  if (words.size() != 4) throw InputError("θ needs two words of each of its numbers");
  return {whole(words.data()), whole(words.data() + 2)};
}

Line line_of(const Words& prices, std::size_t row) {
  const std::int64_t* words = prices.data() + 4 * row;
  return {whole(words), whole(words + 2)};
}

/// `counts` has one column for each field of Counts, in their order; all columns have equal length.
void price(LongestPaths& self, const std::array<Column, 8>& counts, const Words& words) {
  constexpr std::size_t kSingle = 2;  // before the link classes
  constexpr std::size_t kOfLink = 5;
  if (words.shape(1) != 4 || words.shape(0) < kSingle + kOfLink ||
      (words.shape(0) - kSingle) % kOfLink != 0) {
    throw InputError("prices need four words each, and five of every link class");
  }
  for (const Column& column : counts) {
    if (column.size() != self.rows()) throw InputError("counts need one number per row");
  }
  exact::Prices prices{line_of(words, 0), line_of(words, 1), {}};
  for (std::size_t row = kSingle; row < words.shape(0); row += kOfLink) {
    prices.links.push_back({line_of(words, row), line_of(words, row + 1), line_of(words, row + 2),
                            line_of(words, row + 3), line_of(words, row + 4)});
  }
  const nb::gil_scoped_release release;
  self.price({span(counts[0]), span(counts[1]), span(counts[2]), span(counts[3]), span(counts[4]),
              span(counts[5]), span(counts[6]), span(counts[7])},
             prices);
}

}  // namespace

void register_exact(nb::module_& module) {
  nb::class_<LongestPaths>(
      module, "ExactPaths",
      "Inequalities x[head] ≥ x[tail] + cost in whole numbers of 128 bits (core/exact).\n\nA "
      "number is two words, the high one first. θ is numerator and denominator; a denominator of 0 "
      "is larger than any θ. A path and potentials prove every answer. InputError if a number "
      "needs too many bits.")
      .def(
          "__init__",
          [](LongestPaths* self, std::uint32_t variables, std::uint32_t finish, const Column& head,
             const Column& tail) {
            const nb::gil_scoped_release release;
            new (self) LongestPaths(variables, finish, span(head), span(tail));
          },
          "variables"_a, "finish"_a, "head"_a, "tail"_a, "InputError if rows form a cycle.")
      .def(
          "price", &price, "counts"_a, "prices"_a,
          "`counts`: computation, overheads, gaps, copied, hops, bytes and link of every row. "
          "`prices`: constant and slope of one of each, then latency and byte of every link class.")
      .def(
          "longest",
          [](const LongestPaths& self, const Column& theta, bool right) {
            const exact::Theta at = theta_of(theta);
            Line line;
            {
              const nb::gil_scoped_release release;
              line = self.longest(at, right ? Side::right : Side::left);
            }
            return words_of(&line, 1);
          },
          "theta"_a, "right"_a,
          "(4,) constant and slope of the longest path; if paths tie, of the one towards higher or "
          "lower θ.");
}

}  // namespace latitude::bindings
