#include "core/trace/infer/normalise.hpp"

#include "core/trace/event_args.hpp"
#include "core/trace/infer/fail.hpp"

namespace latitude::trace::infer {
namespace {

constexpr std::uint64_t kMpichWorld = 0x44000000;

class RankNormaliser {
 public:
  RankNormaliser(RankLog& log, std::size_t rank, const Communicators& communicators, Mpi mpi)
      : log_(log),
        of_use_(communicators.of_use[rank]),
        of_creation_(communicators.of_creation[rank]),
        mpich_(mpi == Mpi::mpich) {}

  void run() {
    for (Event& e : log_.trace.events) {
      if (e.comm == kNothing) {
        e.comm = kWorld;
        continue;
      }
      peers(e, log_.comms.uses[e.comm].size);
      e.comm = of_use_[e.comm];
    }
    // MPI_Comm_free names a variable; the creation that filled it gives the communicator.
    for (std::size_t c = 0; c < of_creation_.size(); ++c) {
      const std::uint32_t freed = log_.comms.creations[c].free_event;
      if (freed != kNothing && of_creation_[c] != kNothing) {
        log_.trace.events[freed].comm = of_creation_[c];
      }
    }
  }

 private:
  [[noreturn]] void refuse(const Event& e, const std::string& text) const {
    throw InputError(where(log_.trace, e) + " " + text);
  }

  void peers(Event& e, std::int32_t size) const {
    switch (class_of(e.call)) {
      case CallClass::send:
      case CallClass::isend:
      case CallClass::recv:
      case CallClass::irecv:
      case CallClass::persistent:
        return set_message(e, message(e, message_of(e), size, receives(e.call)));
      case CallClass::sendrecv:
        set_message(e, message(e, message_of(e), size, false));
        return set_received(log_.trace, e, message(e, received_by(log_.trace, e), size, true));
      default: {  // collectives, and calls without a root, whose root is 0
        const std::int32_t root = root_of(e);
        if (root < 0 || root >= size) {
          refuse(e, "has root " + std::to_string(root) + " of " + std::to_string(size) +
                        " ranks; intercommunicators are not supported");
        }
      }
    }
  }

  Message message(const Event& e, Message printed, std::int32_t size, bool received) const {
    printed.peer = peer(e, printed.peer, size, received);
    if (received ? printed.tag < kAnyTag : printed.tag < 0 && printed.peer != kProcNull) {
      refuse(e, std::string(received ? "receives" : "sends") +
                    " with a negative tag; the file is damaged, " + kRetrace);
    }
    return printed;
  }

  std::int32_t peer(const Event& e, std::int32_t raw, std::int32_t size, bool received) const {
    if (raw >= 0 && raw < size) return raw;
    const std::int32_t symbol = raw == (mpich_ ? -2 : -1)   ? kAnySource
                                : raw == (mpich_ ? -1 : -2) ? kProcNull
                                                            : size;
    if (symbol == size) {
      refuse(e, "has peer " + std::to_string(raw) + " of " + std::to_string(size) +
                    " ranks; the file is damaged, " + kRetrace);
    }
    if (symbol == kAnySource && !received) {
      refuse(e, "sends to " + std::to_string(raw) + ", which is MPI_ANY_SOURCE under " +
                    (mpich_ ? "MPICH" : "Open MPI") + "; say which MPI wrote the trace (--mpi)");
    }
    return symbol;
  }

  RankLog& log_;
  const std::vector<std::uint32_t>& of_use_;
  const std::vector<std::uint32_t>& of_creation_;
  const bool mpich_;
};

}  // namespace

Mpi detect_mpi(const std::vector<RankLog>& logs) {
  for (const RankLog& log : logs) {
    if (log.comms.uses.empty()) continue;
    const std::uint32_t world = log.comms.world == kNothing ? 0 : log.comms.world;
    const std::uint64_t handle = log.comms.uses[world].handle;
    return handle >> 1 == kMpichWorld >> 1 ? Mpi::mpich : Mpi::openmpi;  // world or self
  }
  return Mpi::openmpi;
}

void normalise_rank(RankLog& log, std::size_t rank, const Communicators& communicators, Mpi mpi) {
  RankNormaliser(log, rank, communicators, mpi).run();
}

}  // namespace latitude::trace::infer
