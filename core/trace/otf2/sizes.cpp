#include "core/trace/otf2/sizes.hpp"

namespace latitude::trace::otf2 {
namespace {

constexpr std::uint64_t kElement = 4;  // bytes that most elements are a multiple of

/// One of `parts` equal parts of a sum; of one part less where the operation was in place.
std::uint64_t part(std::uint64_t sum, std::uint64_t parts) {
  if (parts < 2) return sum;
  const bool all = sum % parts == 0;
  const bool others = sum % (parts - 1) == 0;
  const bool odd = all && sum / parts % kElement != 0 && sum / (parts - 1) % kElement == 0;
  return others && (!all || odd) ? sum / (parts - 1) : sum / parts;
}

/// The vector of a prefix reduction, which is sent to `followers` and received from `leaders`.
std::uint64_t vector(std::uint64_t sent, std::uint64_t followers, std::uint64_t received,
                     std::uint64_t leaders) {
  if (followers > 0 && sent > 0) return sent / followers;
  return leaders > 0 ? received / leaders : 0;
}

}  // namespace

Sizes sizes_of(Call blocking, std::uint64_t sent, std::uint64_t received, bool root,
               std::uint64_t rank, std::uint64_t size) {
  switch (blocking) {
    case Call::Bcast:
      return {root ? (received > 0 ? received : part(sent, size)) : 0, received};
    case Call::Reduce:
      return {sent, root && sent == 0 ? part(received, size) : sent};
    case Call::Allreduce:
    case Call::Allgather:
    case Call::Alltoall:
    case Call::Reduce_scatter_block: {
      const std::uint64_t bytes = part(sent, size);
      return {bytes, bytes};
    }
    case Call::Allgatherv:
      return {part(sent, size), received};
    case Call::Reduce_scatter:
      return {sent, part(received, size)};
    case Call::Scan: {
      const std::uint64_t bytes = vector(sent, size - rank, received, rank + 1);
      return {bytes, bytes};
    }
    case Call::Exscan: {
      const std::uint64_t bytes = vector(sent, size - rank - 1, received, rank);
      return {bytes, bytes};
    }
    default:
      return {sent, received};
  }
}

}  // namespace latitude::trace::otf2
