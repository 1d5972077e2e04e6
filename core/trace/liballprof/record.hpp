#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/infer/arguments.hpp"
#include "core/trace/infer/comm_log.hpp"

namespace latitude::trace::liballprof {

/// The form of a call's record: one row of grammar.def.
struct CallSyntax {
  std::string_view name;     ///< "MPI_Send"
  std::string_view fields;   ///< letters, see grammar.def
  Call call = Call::count_;  ///< Call::count_: local computation that calls.def lacks
  CallClass call_class = CallClass::local;
  bool makes_comm = false;  ///< collective over its first communicator; makes another one
  std::uint16_t index = 0;  ///< row of the table
};

inline constexpr std::int64_t kNoTime = -1;  ///< the field was `-`

/// One parsed record. Of its datatypes, only the sizes are stored; the rest is only checked.
struct Record : infer::Arguments {
  const CallSyntax* syntax = nullptr;
  std::int64_t enter_ns = kNoTime;
  std::int64_t leave_ns = kNoTime;
  std::uint64_t send_buffer = 0;
  std::uint64_t request = 0;        ///< address of the request, or of the first of an array
  std::uint64_t comm_variable = 0;  ///< address of the MPI_Comm made or freed
  std::uint64_t op = 0;
  std::int32_t request_count = 0;
  std::array<std::int32_t, 2> integer{};
  std::array<infer::CommField, 2> comm{};
  std::uint8_t comms = 0;  ///< number of communicators in the record
};

}  // namespace latitude::trace::liballprof
