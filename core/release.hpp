#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace latitude {

/// Frees the memory of elements [from, to), which nothing reads again: their values are lost, but
/// the list keeps its length.
template <class Element>
  requires std::is_trivially_copyable_v<Element>
void release_part([[maybe_unused]] std::vector<Element>& list, [[maybe_unused]] std::size_t from,
                  [[maybe_unused]] std::size_t to) noexcept {
#ifdef __linux__
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(list.data() + from);
  const auto last = reinterpret_cast<std::uintptr_t>(list.data() + to);
  const std::uintptr_t begin = (first + page - 1) / page * page;  // pages with no other data
  const std::uintptr_t end = last / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
#endif
}

/// Least number of elements whose memory is worth a system call.
inline constexpr std::size_t kWorthReleasing = std::size_t{1} << 14;

/// Empties a list and frees its memory. (`list = {}` keeps the memory: it assigns no elements.) The
/// allocator keeps freed memory, too, except for the largest lists, so the pages are returned
/// first.
template <class List>
void release(List& list) noexcept {
  if constexpr (requires { release_part(list, 0, 0); }) {
    if (list.size() >= kWorthReleasing) release_part(list, 0, list.size());
  }
  [[maybe_unused]] const List taken = std::move(list);
  list = List();
}

/// Returns to the system the memory of many freed lists, each too short for `release`. The
/// allocator would keep that memory for later lists, which may never come.
inline void release_freed() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

/// Number of elements that are freed at a time.
inline constexpr std::size_t kReleasedAtOnce = std::size_t{1} << 16;

}  // namespace latitude
