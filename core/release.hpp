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

/// Empties a list and gives its memory back, which `list = {}` keeps: that assigns no elements.
template <class List>
void release(List& list) noexcept {
  [[maybe_unused]] const List taken = std::move(list);
  list = List();
}

/// Gives back memory of elements [from, to), which nobody will look at again: what they hold is
/// lost, and the list is as long as before.
template <class Element>
void release_part([[maybe_unused]] std::vector<Element>& list, [[maybe_unused]] std::size_t from,
                  [[maybe_unused]] std::size_t to) noexcept {
  static_assert(std::is_trivially_copyable_v<Element>);
#ifdef __linux__
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(list.data() + from);
  const auto last = reinterpret_cast<std::uintptr_t>(list.data() + to);
  const std::uintptr_t begin = (first + page - 1) / page * page;  // pages that hold nothing else
  const std::uintptr_t end = last / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
#endif
}

/// Gives back memory of the many lists that were freed, each too short for `release` to do so: the
/// allocator keeps these for later ones, which may never come.
inline void release_freed() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

/// So many elements are given back at a time.
inline constexpr std::size_t kReleasedAtOnce = std::size_t{1} << 16;

}  // namespace latitude
