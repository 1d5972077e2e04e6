"""liballprof text as DUMPI's files, for programs without communicators of their own."""

from .dumpi_files import REQUEST_NULL, WORLD, RankFile, i32, ints, statuses, texts, u8, u16


class FromText:
    """A rank's liballprof text, of a C program without other communicators than the world."""

    def __init__(self, text: str) -> None:
        self.file = RankFile()
        self._numbers: dict[str, int] = {}  # of the request that stands at an address
        self._types: dict[str, int] = {}
        last = 0
        for line in text.splitlines():
            if not line.startswith("MPI_"):
                continue
            name, enter, *fields, leave = line.removeprefix("MPI_").split(":")
            times = [round(float(each) * 1000) if each != "-" else last for each in (enter, leave)]
            if name == "Init":
                times[0] = times[1]
            if name == "Finalize":
                times[0] = last
            self.file.call(name, times[0], times[1], *getattr(self, "_" + name.lower())(*fields))
            last = times[1]

    def _datatype(self, field: str) -> bytes:
        code, size, _ = field.split(",")
        number = self._types.setdefault(code, 40 + len(self._types))
        self.file.sizes[number] = int(size)
        return u16(number)

    def _init(self, *_: str) -> tuple[bytes, ...]:
        return (texts([]),)

    def _wtime(self) -> tuple[bytes, ...]:
        return ()

    _finalize = _wtime

    def _initialized(self, _: str) -> tuple[bytes, ...]:
        return (i32(1),)

    def _comm_rank(self, comm: str, _: str) -> tuple[bytes, ...]:
        return u16(WORLD), i32(int(comm.split(",")[1]))

    def _comm_size(self, comm: str, _: str) -> tuple[bytes, ...]:
        return u16(WORLD), i32(int(comm.split(",")[2]))

    def _send(self, *a: str) -> tuple[bytes, ...]:
        return (i32(int(a[1])), self._datatype(a[2]), i32(int(a[3]), int(a[4])), u16(WORLD))

    def _recv(self, *a: str) -> tuple[bytes, ...]:
        return *self._send(*a), statuses(None)

    def _isend(self, *a: str) -> tuple[bytes, ...]:
        number = self._numbers[a[6]] = 100 + len(self._numbers)
        return *self._send(*a), i32(number)

    _irecv = _isend

    def _wait(self, address: str, _: str) -> tuple[bytes, ...]:
        return i32(self._numbers.pop(address, REQUEST_NULL)), statuses(None)

    def _waitall(self, count: str, first: str, _: str) -> tuple[bytes, ...]:
        places = [str(int(first) + 8 * i) for i in range(int(count))]
        numbers = [self._numbers.pop(place, REQUEST_NULL) for place in places]
        return i32(len(places)), ints(numbers), statuses(None)

    def _barrier(self, _: str) -> tuple[bytes, ...]:
        return (u16(WORLD),)

    def _allreduce(self, *a: str) -> tuple[bytes, ...]:
        return i32(int(a[2])), self._datatype(a[3]), u8(int(a[4])), u16(WORLD)

    def _reduce(self, *a: str) -> tuple[bytes, ...]:
        return i32(int(a[2])), self._datatype(a[3]), u8(int(a[4])), i32(int(a[5])), u16(WORLD)
