"""DUMPI's files, written from the description of the format, and not by the code under test."""

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import MappingProxyType

_NAMES = """
Send Recv Get_count Bsend Ssend Rsend Buffer_attach Buffer_detach Isend Ibsend Issend Irsend
Irecv Wait Test Request_free Waitany Testany Waitall Testall Waitsome Testsome Iprobe Probe
Cancel Test_cancelled Send_init Bsend_init Ssend_init Rsend_init Recv_init Start Startall
Sendrecv Sendrecv_replace Type_contiguous Type_vector Type_hvector Type_indexed Type_hindexed
Type_struct Address Type_extent Type_size Type_lb Type_ub Type_commit Type_free Get_elements
Pack Unpack Pack_size Barrier Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv
Alltoall Alltoallv Reduce Op_create Op_free Allreduce Reduce_scatter Scan Group_size Group_rank
Group_translate_ranks Group_compare Comm_group Group_union Group_intersection Group_difference
Group_incl Group_excl Group_range_incl Group_range_excl Group_free Comm_size Comm_rank
Comm_compare Comm_dup Comm_create Comm_split Comm_free Comm_test_inter Comm_remote_size
Comm_remote_group Intercomm_create Intercomm_merge Keyval_create Keyval_free Attr_put Attr_get
Attr_delete Topo_test Cart_create Dims_create Graph_create Graphdims_get Graph_get Cartdim_get
Cart_get Cart_rank Cart_coords Graph_neighbors_count Graph_neighbors Cart_shift Cart_sub
Cart_map Graph_map Get_processor_name Get_version Errhandler_create Errhandler_set
Errhandler_get Errhandler_free Error_string Error_class Wtime Wtick Init Finalize Initialized
Abort Pcontrol Close_port Comm_accept Comm_connect Comm_disconnect Comm_get_parent Comm_join
Comm_spawn Comm_spawn_multiple Lookup_name Open_port Publish_name Unpublish_name Accumulate Get
Put Win_complete Win_create Win_fence Win_free Win_get_group Win_lock Win_post Win_start
Win_test Win_unlock Win_wait Alltoallw Exscan Add_error_class Add_error_code Add_error_string
Comm_call_errhandler Comm_create_keyval Comm_delete_attr Comm_free_keyval Comm_get_attr
Comm_get_name Comm_set_attr Comm_set_name File_call_errhandler Grequest_complete Grequest_start
Init_thread Is_thread_main Query_thread Status_set_cancelled Status_set_elements
Type_create_keyval Type_delete_attr Type_dup Type_free_keyval Type_get_attr Type_get_contents
Type_get_envelope Type_get_name Type_set_attr Type_set_name Type_match_size Win_call_errhandler
Win_create_keyval Win_delete_attr Win_free_keyval Win_get_attr Win_get_name Win_set_attr
Win_set_name Alloc_mem Comm_create_errhandler Comm_get_errhandler Comm_set_errhandler
File_create_errhandler File_get_errhandler File_set_errhandler Finalized Free_mem Get_address
Info_create Info_delete Info_dup Info_free Info_get Info_get_nkeys Info_get_nthkey
Info_get_valuelen Info_set Pack_external Pack_external_size Request_get_status
Type_create_darray Type_create_hindexed Type_create_hvector Type_create_indexed_block
Type_create_resized Type_create_struct Type_create_subarray Type_get_extent Type_get_true_extent
Unpack_external Win_create_errhandler Win_get_errhandler Win_set_errhandler File_open File_close
File_delete File_set_size File_preallocate File_get_size File_get_group File_get_amode
File_set_info File_get_info File_set_view File_get_view File_read_at File_read_at_all
File_write_at File_write_at_all File_iread_at File_iwrite_at File_read File_read_all File_write
File_write_all File_iread File_iwrite File_seek File_get_position File_get_byte_offset
File_read_shared File_write_shared File_iread_shared File_iwrite_shared File_read_ordered
File_write_ordered File_seek_shared File_get_position_shared File_read_at_all_begin
File_read_at_all_end File_write_at_all_begin File_write_at_all_end File_read_all_begin
File_read_all_end File_write_all_begin File_write_all_end File_read_ordered_begin
File_read_ordered_end File_write_ordered_begin File_write_ordered_end File_get_type_extent
Register_datarep File_set_atomicity File_get_atomicity File_sync MPIO_Test MPIO_Wait
MPIO_Testall MPIO_Waitall MPIO_Testany MPIO_Waitany MPIO_Waitsome MPIO_Testsome
"""
NAMES = _NAMES.split()
"""The calls of MPI-2, in the order of their numbers."""

_NUMBERS = {name: number for number, name in enumerate(NAMES)}
END_OF_STREAM = len(NAMES) + 3

WORLD, SELF, COMM_NULL = 2, 3, 1
REQUEST_NULL = 1
INT, DOUBLE = 9, 14
SIZES = MappingProxyType({2: 1, 5: 1, 7: 2, INT: 4, 11: 8, 13: 4, DOUBLE: 8, 15: 16, 26: 8})
"""Bytes of the predefined datatypes that the tests use."""
SUM = 3
_MAGIC = 0xFFAADD44554D5049
_FOOTER = 0xF007FEE7

Status = tuple[int, int, int]
"""Bytes, source and tag."""


def i32(*values: int) -> bytes:
    """Integers, counts, ranks, tags, requests."""
    return struct.pack(f">{len(values)}i", *values)


def u16(*values: int) -> bytes:
    """Datatypes, communicators, groups."""
    return struct.pack(f">{len(values)}H", *values)


def u8(value: int) -> bytes:
    """An operation."""
    return struct.pack(">B", value)


def ints(values: Iterable[int]) -> bytes:
    """A list, after its length."""
    values = list(values)
    return i32(len(values), *values)


def types(values: Sequence[int]) -> bytes:
    """A list of datatypes."""
    return i32(len(values)) + u16(*values)


def text(value: str) -> bytes:
    """Characters, after their number."""
    return i32(len(value)) + value.encode()


def texts(values: Sequence[str]) -> bytes:
    """A list of texts."""
    return i32(len(values)) + b"".join(map(text, values))


def statuses(values: Iterable[Status] | None, *, cancelled: bool = False) -> bytes:
    """The statuses of a call; None if the program ignored them all."""
    each = [i32(n, source) + u8(cancelled) + u8(0) + i32(tag) for n, source, tag in values or ()]
    return i32(len(each)) + b"".join(each)


class RankFile:
    """The file of one rank, call by call. Times are in ns.

    Args:
        statuses: whether they are recorded at all (else `statuses` must not be among the fields).
        wall, cpu: which clocks are recorded; the CPU's runs half as fast.
    """

    def __init__(
        self,
        *,
        version: tuple[int, int, int] = (1, 0, 0),
        sizes: MappingProxyType[int, int] | dict[int, int] = SIZES,
        statuses: bool = True,
        wall: bool = True,
        cpu: bool = True,
        counters: int = 0,
    ) -> None:
        self.version, self.sizes, self.counters = version, dict(sizes), counters
        self.mask = (3 if statuses else 0) | (4 if cpu else 0) | (8 if wall else 0) | 64
        if counters:
            self.mask |= 128
        self.records: list[bytes] = []
        self.made = [0] * len(NAMES)
        self.ignored = [0] * len(NAMES)

    def call(self, name: str, enter: int, leave: int, *fields: bytes, thread: int = 0) -> None:
        """A call `MPI_name` with its fields as they are written."""
        self.made[_NUMBERS[name]] += 1
        self.records.append(self._head(_NUMBERS[name], enter, leave, thread) + b"".join(fields))

    def entered(self, enter: int, address: int) -> None:
        """A function of the program, as in DUMPI's call profile."""
        head = self._head(len(NAMES) + 1, enter, enter, 0)
        self.records.append(head + struct.pack(">Q", address))

    def _head(self, number: int, enter: int, leave: int, thread: int) -> bytes:
        head = u16(number) + u8(self.mask) + u16(thread)
        if self.mask & 4:
            head += _time(enter // 2) + _time(leave // 2)
        if self.mask & 8:
            head += _time(enter) + _time(leave)
        if self.mask & 128:
            head += u8(self.counters) + struct.pack(">QQ", 1, 2) * self.counters
        return head

    def bytes(self) -> bytes:
        """The whole file."""
        body = struct.pack(">QII", _MAGIC, 0, 1_700_000_000) + b"".join(self.records)
        body += u16(END_OF_STREAM)
        header = bytes(self.version) + struct.pack(">Q", 1_700_000_000)
        header += _short("node01") + _short("somebody") + i32(0) + i32(0)
        footer = struct.pack(">Q", _FOOTER)
        for counts in (self.made, self.ignored):
            footer += struct.pack(f">{len(NAMES) + 1}I", *counts, sum(counts))
        keyvals = i32(0)
        counters = i32(self.counters) + b"".join([_short("PAPI_TOT_CYC")] * self.counters)
        sizes = ints(self.sizes.get(number, 0) for number in range(max(self.sizes, default=0) + 1))
        functions = i32(0)
        at = len(body)
        places = []
        for section in (header, footer, keyvals, counters, sizes, functions):
            places.append(at)
            at += len(section)
        index = struct.pack(
            ">8Q", _MAGIC, places[4], places[5], places[3], places[0], 8, places[1], 0
        )
        return body + header + footer + keyvals + counters + sizes + functions + index


def _time(ns: int) -> bytes:
    seconds, rest = divmod(ns, 1_000_000_000)
    return struct.pack(">HI", seconds % 65536, rest)


def _short(value: str) -> bytes:
    return u16(len(value)) + value.encode()


def write(folder: Path, ranks: Sequence[RankFile], *, meta: bool = True) -> Path:
    """The folder with the files of a run, with DUMPI's names."""
    folder.mkdir(parents=True, exist_ok=True)
    prefix = "dumpi-2026.01.31.12.00.00"
    for rank, file in enumerate(ranks):
        (folder / f"{prefix}-{rank:04}.bin").write_bytes(file.bytes())
    if meta:
        (folder / f"{prefix}.meta").write_text(
            f"hostname=node01\nnumprocs={len(ranks)}\nusername=somebody\n"
            f"startime=1700000000\nfileprefix={prefix}\n"
            "version=1\nsubversion=0\nsubsubversion=0\n"
        )
    return folder


def begun(enter: int = 0, **options: bool) -> RankFile:
    """A file that begins with MPI_Init."""
    file = RankFile(**options)  # type: ignore[arg-type]
    file.call("Init", enter, enter, texts(["./program", "-x"]))
    return file
