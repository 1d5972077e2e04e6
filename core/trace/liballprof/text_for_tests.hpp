#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/event_args.hpp"
#include "core/trace/liballprof/liballprof.hpp"

namespace latitude::trace {

/// The parts, printed one after another.
template <class... Parts>
std::string str(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// Text of one rank, record by record: each call lasts 5 µs, 10 µs after the previous one. Line 1
/// is MPI_Init, so the n-th added call is on line n + 1.
class File {
 public:
  File& add(std::string_view name, std::string_view fields = "") {
    time_ += 10;
    text_ += str(name, ':', time_, fields.empty() ? "" : ":", fields, ':', time_ + 5, '\n');
    time_ += 5;
    return *this;
  }
  File& raw(std::string_view line) {
    text_ += line;
    return *this;
  }
  std::string text() const { return str(text_, "MPI_Finalize:", time_ + 100, ":-\n"); }

 private:
  std::string text_ = "MPI_Init:-:0:0:1\n";
  int time_ = 1;
};

/// A communicator field.
inline std::string comm(std::uint64_t handle, int rank, int size) {
  return str(handle, ',', rank, ',', size);
}

/// Handles as in C programs under Open MPI: pointers, different in each process.
inline std::uint64_t pointer(int rank, int which) {
  return 94266891700000u + 1000u * static_cast<unsigned>(rank) + 8u * static_cast<unsigned>(which);
}

inline Trace load_texts(const std::vector<std::string>& texts, Mpi mpi = Mpi::detect) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < texts.size(); ++r) names.push_back(str("r", r, ".txt"));
  LiballprofLoader loader(std::move(names), mpi);
  for (std::size_t r = 0; r < texts.size(); ++r) loader.feed(r, texts[r]);
  return loader.finish();
}

inline Trace load(const std::vector<File>& files, Mpi mpi = Mpi::detect) {
  std::vector<std::string> texts;
  for (const File& file : files) texts.push_back(file.text());
  return load_texts(texts, mpi);
}

/// The message of the reader's error ("" without one).
inline std::string error_of(const std::vector<std::string>& texts, Mpi mpi = Mpi::detect) {
  try {
    load_texts(texts, mpi);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

inline std::string error_of(const std::vector<File>& files, Mpi mpi = Mpi::detect) {
  std::vector<std::string> texts;
  for (const File& file : files) texts.push_back(file.text());
  return error_of(texts, mpi);
}

/// Whether `message` holds every one of `parts`.
inline testing::AssertionResult says(const std::string& message,
                                     const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (message.find(part) == std::string::npos) {
      return testing::AssertionFailure() << "'" << message << "' lacks '" << part << "'";
    }
  }
  return testing::AssertionSuccess();
}

/// The values at Event::args.
inline std::vector<std::int64_t> args(const RankTrace& rank, std::size_t event, std::size_t count) {
  const auto begin = rank.args.begin() + rank.events.at(event).args;
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

/// {id…} of a completion, start or free.
inline std::vector<std::int64_t> ids(const RankTrace& rank, std::size_t event) {
  const auto values = request_values(rank, rank.events.at(event));
  return {values.begin(), values.end()};
}

}  // namespace latitude::trace
