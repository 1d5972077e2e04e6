#include "core/trace/liballprof/normalise.hpp"

#include "core/trace/liballprof/fail.hpp"

namespace latitude::trace::liballprof {
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
    // MPI_Comm_free names a variable; the creation that filled it tells the communicator.
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
        e.peer = peer(e, e.peer, size, false);
        return sent_tag(e);
      case CallClass::recv:
      case CallClass::irecv:
        e.peer = peer(e, e.peer, size, true);
        return received_tag(e, e.tag);
      case CallClass::persistent:
        e.peer = peer(e, e.peer, size, e.call == Call::Recv_init);
        return e.call == Call::Recv_init ? received_tag(e, e.tag) : sent_tag(e);
      case CallClass::sendrecv: {
        e.peer = peer(e, e.peer, size, false);
        sent_tag(e);
        std::int64_t* const receive = log_.trace.args.data() + e.args;
        receive[0] = peer(e, static_cast<std::int32_t>(receive[0]), size, true);
        return received_tag(e, receive[1]);
      }
      default:  // collectives: 0 where there is no root
        if (e.peer < 0 || e.peer >= size) {
          refuse(e, "has root " + std::to_string(e.peer) + " of " + std::to_string(size) +
                        " ranks; intercommunicators are not supported");
        }
    }
  }

  std::int32_t peer(const Event& e, std::int32_t raw, std::int32_t size, bool receives) const {
    if (raw >= 0 && raw < size) return raw;
    const std::int32_t symbol = raw == (mpich_ ? -2 : -1)   ? kAnySource
                                : raw == (mpich_ ? -1 : -2) ? kProcNull
                                                            : size;
    if (symbol == size) {
      refuse(e, "has peer " + std::to_string(raw) + " of " + std::to_string(size) +
                    " ranks; the file is damaged, " + kRetrace);
    }
    if (symbol == kAnySource && !receives) {
      refuse(e, "sends to " + std::to_string(raw) + ", which is MPI_ANY_SOURCE under " +
                    (mpich_ ? "MPICH" : "Open MPI") + "; say which MPI wrote the trace (--mpi)");
    }
    return symbol;
  }

  void sent_tag(const Event& e) const {
    if (e.tag < 0 && e.peer != kProcNull) {
      refuse(e, std::string("sends with a negative tag; the file is damaged, ") + kRetrace);
    }
  }
  void received_tag(const Event& e, std::int64_t tag) const {
    if (tag < kAnyTag) {
      refuse(e, std::string("receives with a negative tag; the file is damaged, ") + kRetrace);
    }
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

}  // namespace latitude::trace::liballprof
