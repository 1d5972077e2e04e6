#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/paraver/records.hpp"

namespace latitude::trace::paraver {

/// The meanings of numbers in a .prv file, from the .pcf next to it, or else from Extrae's
/// numbering of MPI calls.
class Names {
 public:
  /// Adds more of the .pcf's text, cut anywhere.
  void feed(std::string_view text) { text_ += text; }
  /// Call after the last piece. `file` is for messages; InputError names file and line.
  void read(const std::string& file);

  /// The name of a call, such as "MPI_Send"; empty if it has none. `type` is that of a record,
  /// 50000001 and higher.
  std::string_view call(std::uint32_t type, std::uint32_t value) const;

  /// The function and the line of a caller, as far as they have names.
  Frame caller(const Caller& caller) const;

 private:
  std::string_view text(std::uint32_t type, std::uint32_t value) const;

  std::string text_;
  std::vector<std::map<std::uint32_t, std::string>> values_;  ///< by list: the names of its values
  /// By type, first to last: the lists that hold for it. Lists with many values hold for many
  /// types.
  std::map<std::uint32_t, std::vector<std::size_t>> lists_of_;
};

}  // namespace latitude::trace::paraver
