"""Return addresses of real programs → lines, compared with binutils and with the sources."""

import os
import random
import shutil
from pathlib import Path

import pytest

from latitude.trace.symbols import Frame, Location, Module, files, symbolise
from support.callsites import SOURCES, Built, addr2line, build, line, offsets_of, run

C_FLAGS = [
    "-O0 -gdwarf-4",
    "-O2 -gdwarf-4",
    "-O0 -gdwarf-5",
    "-O2 -gdwarf-5",
    "-O3 -gdwarf-5 -no-pie",
    "-O2 -gdwarf-4 -no-pie -gz=zlib",
    "-O2 -g -gz=zlib",
    "-O2 -g -ffunction-sections -Wl,--gc-sections",
]


def places(location: Location) -> list[tuple[str | None, int | None]]:
    return [(frame.file, frame.line) for frame in location.frames]


def at(source: str, mark: str, function: str) -> Frame:
    return Frame(function, str(SOURCES / source), line(source, mark))


IN_C = {
    1: (
        at("comm.h", "1", "send"),
        at("comm.h", "1 in exchange", "exchange"),
        at("solver.c", "1 in main", "main"),
    ),
    2: (at("solver.c", "2", "step"),),
}


@pytest.mark.parametrize("flags", C_FLAGS)
def test_lines_functions_and_inlined_calls_of_c(tmp_path: Path, flags: str) -> None:
    program = build(tmp_path, "solver.c", *flags.split())
    found = program.locations()
    assert set(found) == {1, 2, 3}
    for number, frames in IN_C.items():
        assert found[number].frames == frames
    assert found[3].frames[0].function == "reduce"
    for number, offset in program.offsets.items():
        assert places(found[number]) == addr2line(program.path, offset - 1)


def test_link_time_optimisation(tmp_path: Path) -> None:
    found = build(tmp_path, "solver.c", "-O2", "-g", "-flto").locations()
    for number, frames in IN_C.items():
        assert found[number].frames == frames


def test_without_address_ranges_as_clang_writes_it(tmp_path: Path) -> None:
    program = build(tmp_path, "solver.c", "-O2", "-g")
    run("objcopy", "--remove-section", ".debug_aranges", program.path)
    assert program.locations()[1].frames == IN_C[1]


def test_split_debug_information_has_lines_and_functions(tmp_path: Path) -> None:
    program = build(tmp_path, "solver.c", "-O2", "-g", "-gsplit-dwarf")
    found = program.locations()
    assert found[2].frames == IN_C[2]
    assert (found[1].frames[0].file, found[1].frames[0].line) == places(found[1])[0]
    assert places(found[1])[0] == (IN_C[1][0].file, IN_C[1][0].line)


def test_names_of_cpp(tmp_path: Path) -> None:
    found = build(tmp_path, "solver.cpp", "-O2", "-g").locations()
    assert found[1].frames == (
        at("solver.cpp", "1", "(anonymous namespace)::Halo<double>::exchange"),
    )
    assert found[2].frames[0] == at(
        "solver.cpp", "2", "mesh::Domain::step()::{lambda(int)#1}::operator()"
    )
    assert found[3].frames == (at("solver.cpp", "3", "mesh::operator<<"),)


@pytest.mark.parametrize("flags", ["-O0 -gdwarf-4", "-O1 -fno-inline -gdwarf-5"])
def test_names_of_fortran(tmp_path: Path, flags: str) -> None:
    program = build(
        tmp_path, "solver.f90", *flags.split(), "-J", str(tmp_path), "-fno-optimize-sibling-calls"
    )
    found = program.locations()
    assert found[1].frames == (at("solver.f90", "1", "solver::step"),)
    assert found[2].frames == (at("solver.f90", "2", "exchange"),)
    assert found[3].frames == (at("solver.f90", "3", "inside"),)
    assert found[4].frames == (at("solver.f90", "4", "heat"),)


def test_shared_library(tmp_path: Path) -> None:
    library = tmp_path / "libcall.so"
    sources = (SOURCES / "solver.c", SOURCES / "call.c")
    run("gcc", "-O2", "-g", "-fPIC", "-shared", *sources, "-o", library)
    main = tmp_path / "main.c"
    main.write_text("void step(void); int run(void) { step(); return 0; }")
    # The library's `main` is the program's: all calls lie in the library.
    run("gcc", main, library, f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "program")
    program = Built(library, offsets_of(tmp_path / "program"))
    assert program.locations()[1].frames == IN_C[1]


class TestStripped:
    @pytest.fixture
    def whole(self, tmp_path: Path) -> Built:
        return build(tmp_path, "solver.c", "-O2", "-g")

    def test_debug_file_by_link(self, whole: Built, tmp_path: Path) -> None:
        self.separate(whole, tmp_path / "solver.debug")
        assert whole.locations()[1].frames == IN_C[1]
        (tmp_path / ".debug").mkdir()
        (tmp_path / "solver.debug").rename(tmp_path / ".debug" / "solver.debug")
        assert whole.locations()[1].frames == IN_C[1]

    def test_debug_file_by_build_id(self, whole: Built, tmp_path: Path) -> None:
        separate = self.separate(whole, tmp_path / "solver.debug", link=False)
        identity = whole.module.build_id
        target = tmp_path / "debug" / ".build-id" / identity[:2] / f"{identity[2:]}.debug"
        target.parent.mkdir(parents=True)
        separate.rename(target)
        assert whole.locations(tmp_path / "debug")[1].frames == IN_C[1]

    def test_debug_file_under_the_root_of_all(self, whole: Built, tmp_path: Path) -> None:
        separate = self.separate(whole, tmp_path / "solver.debug")
        target = tmp_path / "debug" / str(tmp_path)[1:] / "solver.debug"
        target.parent.mkdir(parents=True)
        separate.rename(target)
        assert whole.locations(tmp_path / "debug")[1].frames == IN_C[1]

    def test_another_build_s_debug_file_is_not_taken(self, tmp_path: Path) -> None:
        # Without build ids the checksum in the link tells.
        flags = ("-O2", "-g", "-Wl,--build-id=none")
        program = build(tmp_path, "solver.c", *flags)
        separate = self.separate(program, tmp_path / "solver.debug")
        assert program.locations()[2].frames == IN_C[2]
        separate.write_bytes(separate.read_bytes() + b"\0")
        found, _ = symbolise([program.module], program.sites, roots=())
        assert all(location.frames == () for location in found)

    def test_symbols_alone_give_function_and_distance(self, whole: Built) -> None:
        run("strip", "--strip-debug", whole.path)
        found, problems = symbolise([whole.module], whole.sites, roots=())
        step = int(
            next(w for w in run("nm", whole.path).splitlines() if w.endswith(" step")).split()[0],
            16,
        )
        assert found[1].frames == (Frame("step", None, None),)
        assert found[1].into_function == whole.offsets[2] - step
        (warning,) = problems.notices([whole.module.path])
        assert warning.code == "call-sites-without-lines"
        assert "solver" in warning.message
        assert problems.notices(["another"]) == []

    def test_dynamic_symbols_serve_too(self, tmp_path: Path) -> None:
        program = build(tmp_path, "solver.c", "-O2", "-g", "-rdynamic")
        run("strip", program.path)
        found, _ = symbolise([program.module], program.sites, roots=())
        assert found[1].frames == (Frame("step", None, None),)

    def test_without_anything_the_file_is_left(self, whole: Built) -> None:
        run("strip", whole.path)
        found, _ = symbolise([whole.module], whole.sites, roots=())
        assert [(place.module, place.offset) for place in found] == [
            (str(whole.path), offset) for offset in whole.offsets.values()
        ]
        assert all(place.frames == () for place in found)

    def separate(self, program: Built, target: Path, *, link: bool = True) -> Path:
        run("objcopy", "--only-keep-debug", program.path, target)
        run("strip", program.path)
        if link:
            run("objcopy", f"--add-gnu-debuglink={target}", program.path, cwd=target.parent)
        return target


def test_a_program_that_is_gone_or_another_is_said_once(tmp_path: Path) -> None:
    program = build(tmp_path, "solver.c", "-O2", "-g")
    other = tmp_path / "other"
    shutil.copy(program.path, other)
    text = tmp_path / "text"
    text.write_text("no program")
    modules = [
        Module(str(tmp_path / "gone"), ""),
        Module(str(other), "0" * 40),
        Module(str(text), ""),
        program.module,
    ]
    sites = [(index, program.offsets[2]) for index in range(4)]
    found, problems = symbolise(modules, sites)
    assert [place.frames for place in found] == [(), (), (), IN_C[2]]
    (warning,) = problems.notices([module.path for module in modules])
    assert warning.code == "call-sites-without-file"
    assert f"{tmp_path}/gone is gone" in warning.message
    assert f"{other} is not the file that ran" in warning.message
    assert f"{text} cannot be read (not an ELF file)" in warning.message


def test_damaged_debug_information_costs_the_lines_only(tmp_path: Path) -> None:
    program = build(tmp_path, "solver.c", "-O2", "-g")
    for section in (".debug_abbrev", ".debug_line", ".debug_info"):
        damaged = tmp_path / f"damaged{section}"
        noise = tmp_path / "noise"
        noise.write_bytes(os.urandom(64))
        run("objcopy", "--update-section", f"{section}={noise}", program.path, damaged)
        found, _ = symbolise([Module(str(damaged), "")], program.sites)
        assert found[1].frames[0].function == "step"


def test_order_and_repetition_of_sites_are_kept(tmp_path: Path) -> None:
    program = build(tmp_path, "solver.c", "-O0", "-g")
    wanted = [program.offsets[i] for i in (3, 1, 2, 1)]
    found, _ = symbolise([program.module], [(0, offset) for offset in wanted])
    assert [place.offset for place in found] == wanted
    assert found[1] is found[3]


def told(path: Path | str, offset: int = 0x1139) -> str:
    """The one-line error about a file without lines."""
    found, problems = symbolise([Module(str(path), "")], [(0, offset)])
    assert found[0].offset == offset
    text = "; ".join(warning.message for warning in problems.notices([str(path)]))
    assert "\n" not in text
    return text


@pytest.mark.parametrize("share", [0.0005, 0.01, 0.3, 0.6, 0.9, 0.99, 0.999])
def test_a_file_that_is_half_written_costs_its_lines_only(tmp_path: Path, share: float) -> None:
    program = build(tmp_path, "solver.c", "-O2", "-g", "-gz=zlib")
    content = program.path.read_bytes()
    half = tmp_path / "half"
    half.write_bytes(content[: int(share * len(content))])
    assert f"{half} cannot be read" in told(half, program.offsets[2])


@pytest.mark.thorough
def test_flipped_bytes_never_cost_more_than_the_lines(tmp_path: Path) -> None:
    program = build(tmp_path, "solver.c", "-O2", "-g")
    content = program.path.read_bytes()
    damaged = tmp_path / "damaged"
    letters = random.Random(3)
    headers = int.from_bytes(content[40:48], "little")  # e_shoff: the sections' headers
    places = [*range(16, 64), *range(headers, len(content), 5)]
    for at in [*letters.sample(places, 80), *letters.sample(range(len(content)), 80)]:
        changed = bytearray(content)
        changed[at] ^= 1 << letters.randrange(8)
        damaged.write_bytes(changed)
        told(damaged, program.offsets[2])


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is a pipe or a device" in told(pipe)
    assert "is a pipe or a device" in told("/dev/zero")
    assert "is a directory" in told(tmp_path)
    assert "not a valid file name" in told("/usr/bin/a\0b")


def test_debug_information_that_unpacks_to_very_much_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = build(tmp_path, "solver.c", "-O2", "-g")
    noise = tmp_path / "noise"
    noise.write_bytes(bytes(2 << 20))
    run("objcopy", "--update-section", f".debug_info={noise}", program.path)
    run("objcopy", "--compress-debug-sections", program.path)
    assert "no line numbers" in told(program.path, program.offsets[2])
    monkeypatch.setattr(files, "MOST_UNPACKED", 1 << 20)
    assert "debug information of more than 1 MiB" in told(program.path, program.offsets[2])


def test_more_sections_than_there_are_bytes(tmp_path: Path) -> None:
    program = build(tmp_path, "solver.c", "-O2", "-g")
    content = bytearray(program.path.read_bytes())
    headers = int.from_bytes(content[40:48], "little")
    content[58:62] = bytes(4)  # e_shentsize, and e_shnum: as section 0 says
    content[headers + 32 : headers + 40] = (1 << 60).to_bytes(8, "little")
    program.path.write_bytes(content)
    assert "cannot be read" in told(program.path, program.offsets[2])
