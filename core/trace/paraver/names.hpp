#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/paraver/records.hpp"

namespace latitude::trace::paraver {

/// What numbers of a .prv file stand for, as the .pcf beside it says, or else as Extrae numbers
/// MPI's calls.
class Names {
 public:
  /// More of the .pcf's text, cut anywhere.
  void feed(std::string_view text) { text_ += text; }
  /// All of it has been fed. `file` is for messages; InputError names file and line.
  void read(const std::string& file);

  /// "MPI_Send"; empty where nothing names it. `type` is that of a record, 50000001 and on.
  std::string_view call(std::uint32_t type, std::uint32_t value) const;

  /// The function and the line of a caller, as far as they are named.
  Frame caller(const Caller& caller) const;

 private:
  std::string_view text(std::uint32_t type, std::uint32_t value) const;

  std::string text_;
  std::vector<std::map<std::uint32_t, std::string>> values_;  ///< of each list, their names
  /// The lists that hold for a type, first to last. Lists of many values hold for many types.
  std::map<std::uint32_t, std::vector<std::size_t>> lists_of_;
};

}  // namespace latitude::trace::paraver
