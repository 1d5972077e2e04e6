#pragma once

#include <stdexcept>
#include <string>

namespace latitude {

/// Input or options are wrong. The message is one line that names the file, the line or byte
/// offset, and the fix; commands print it as it is and exit with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Operations wait for each other in a cycle.
class CycleError : public InputError {
 public:
  using InputError::InputError;
};

/// The input is sound, and has to be read as a whole: what is asked for in pieces does not go.
class NotInPiecesError : public InputError {
 public:
  using InputError::InputError;
};

/// Something the user should know about a result that stands. `code` is stable and short
/// (kebab-case); what to do about it stands in src/latitude/notices/kinds.py, by code.
struct Warning {
  std::string code;
  std::string message;
};

}  // namespace latitude
