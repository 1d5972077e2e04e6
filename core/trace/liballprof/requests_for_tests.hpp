#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/liballprof/text_for_tests.hpp"

namespace latitude::trace {

using Ids = std::vector<std::int64_t>;

/// A rank that sends to itself; `world` sets the form of its handles.
class Requests : public File {
 public:
  explicit Requests(std::uint64_t world = 0) : world_(world) {}
  Requests& post(std::uint64_t address, const char* name = "MPI_Irecv") {
    add(name, str("4096:1:1,4,4:0:0:", comm(world_, 0, 1), ':', address));
    return *this;
  }
  Requests& send(std::uint64_t address) { return post(address, "MPI_Isend"); }
  Requests& start(std::uint64_t address) {
    add("MPI_Start", str(address));
    return *this;
  }
  Requests& barrier() {
    add("MPI_Barrier", comm(world_, 0, 1));
    return *this;
  }
  Requests& wait(std::uint64_t address) {
    add("MPI_Wait", str(address, ":0"));
    return *this;
  }
  Requests& array(const char* name, int count, std::uint64_t address, const char* rest = ":0") {
    add(name, str(count, ':', address, rest));
    return *this;
  }
  Requests& waitall(int count, std::uint64_t address) {
    return array("MPI_Waitall", count, address);
  }
  Requests& waitany(int count, std::uint64_t address) {
    return array("MPI_Waitany", count, address, ":1:0");
  }

 private:
  std::uint64_t world_;
};

/// The trace's warning of this code, or nullptr.
inline const Warning* warning_of(const Trace& trace, std::string_view code) {
  for (const Warning& w : trace.warnings) {
    if (w.code == code) return &w;
  }
  return nullptr;
}

}  // namespace latitude::trace
