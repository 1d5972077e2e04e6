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

/// Gives back memory of elements [from, to), which nobody will look at again: what they hold is
/// lost, and the list is as long as before.
template <class Element>
  requires std::is_trivially_copyable_v<Element>
void release_part([[maybe_unused]] std::vector<Element>& list, [[maybe_unused]] std::size_t from,
                  [[maybe_unused]] std::size_t to) noexcept {
#ifdef __linux__
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(list.data() + from);
  const auto last = reinterpret_cast<std::uintptr_t>(list.data() + to);
  const std::uintptr_t begin = (first + page - 1) / page * page;  // pages that hold nothing else
  const std::uintptr_t end = last / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
#endif
}

/// Of so many elements the memory is worth a call of the kernel's.
inline constexpr std::size_t kWorthReleasing = std::size_t{1} << 14;

/// Empties a list and gives its memory back, which `list = {}` keeps: that assigns no elements. The
/// allocator keeps what is freed, too, but for the largest lists, so pages go back before.
template <class List>
void release(List& list) noexcept {
  if constexpr (requires { release_part(list, 0, 0); }) {
    if (list.size() >= kWorthReleasing) release_part(list, 0, list.size());
  }
  [[maybe_unused]] const List taken = std::move(list);
  list = List();
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
