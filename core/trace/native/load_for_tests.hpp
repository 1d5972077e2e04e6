#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/trace/native/native.hpp"
#include "core/trace/native/writer_for_tests.hpp"

namespace latitude::trace::native {

inline Trace load(const std::vector<std::string>& files, Clock clock = Clock::automatic,
                  Incomplete incomplete = Incomplete::refuse) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < files.size(); ++r)
    names.push_back(std::string("r").append(std::to_string(r)).append(".lat"));
  NativeLoader loader(names, clock, incomplete);
  for (std::size_t r = 0; r < files.size(); ++r) {
    loader.read(r, {reinterpret_cast<const std::uint8_t*>(files[r].data()), files[r].size()});
  }
  return loader.finish();
}

/// The message of the reader's error ("" if it reports no error).
inline std::string error_of(const std::vector<std::string>& files, Clock clock = Clock::automatic,
                            Incomplete incomplete = Incomplete::refuse) {
  try {
    load(files, clock, incomplete);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

inline std::string whole(FileWriter file) { return file.finalize().end().file(); }

/// A file of one rank with these events between MPI_Init and MPI_Finalize.
template <class Events>
std::string one(Events events) {
  FileWriter file;
  file.init();
  events(file);
  return whole(std::move(file));
}

inline const Warning* warning(const Trace& trace, const std::string& code) {
  for (const Warning& w : trace.warnings) {
    if (w.code == code) return &w;
  }
  return nullptr;
}

}  // namespace latitude::trace::native
