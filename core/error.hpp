#pragma once

#include <stdexcept>
#include <string>

namespace latitude {

/// Wrong input or options. The message is one line that names the file, the line or byte offset,
/// and the fix; commands print it as it is and exit with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Operations wait for each other in a cycle.
class CycleError : public InputError {
 public:
  using InputError::InputError;
};

/// The input is sound, but must be read as a whole: the request to read it in pieces cannot be met.
class NotInPiecesError : public InputError {
 public:
  using InputError::InputError;
};

/// A warning about a valid result. `code` is stable and short (kebab-case);
/// src/latitude/notices/kinds.py has the remedy for each code.
struct Warning {
  std::string code;
  std::string message;
};

}  // namespace latitude
