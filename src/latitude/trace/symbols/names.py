"""Function names in the programmer's notation."""

import ctypes
import re
from functools import cache

_CLONE = re.compile(r"(\.(cold|part|isra|constprop|lto_priv|llvm|localalias|\d+)\b)+$")
_FORTRAN = (
    re.compile(r"__(?P<module>\w+?)_MOD_(?P<name>\w+)"),  # GNU
    re.compile(r"_QM(?P<module>[a-z0-9_]+)P(?P<name>[a-z0-9_]+)"),  # LLVM Flang
    re.compile(r"(?P<module>\w+)_mp_(?P<name>\w+?)_"),  # Intel
)
_NO_BRACKETS = re.compile(r"\(anonymous namespace\)|operator\s*(\(\)|<=>|<<=?|>>=?|->\*?|[<>]=?)")
_LONGEST = 1 << 14
"""Longest name that is examined, characters."""
_MAIN_PROGRAM = {"MAIN__", "_QQmain"}


def readable(symbol: str) -> str:
    """A symbol without mangling, parameters and the compiler's suffixes.

    `_ZN4Comm8exchangeEPd` → `Comm::exchange`, `__solver_MOD_step` → `solver::step`,
    `exchange.constprop.0` → `exchange`. Without a C++ library on the system, C++ names stay
    mangled.
    """
    if len(symbol) > _LONGEST:
        return f"{symbol[:_LONGEST]}…"
    plain = _CLONE.sub("", symbol)
    if plain in _MAIN_PROGRAM:
        return "main program"
    for pattern in _FORTRAN:
        if match := pattern.fullmatch(plain):
            return f"{match['module']}::{match['name']}"
    if plain.startswith("_Z"):
        return without_parameters(_demangled(plain))
    if re.fullmatch(r"[a-z]\w*[a-z0-9]_{1,2}", plain):  # a Fortran procedure outside modules
        return plain.rstrip("_")
    return plain


def without_parameters(name: str) -> str:
    """A demangled C++ name up to its parameter list: `a::b<int>(char) const` → `a::b<int>`."""
    depth = 0
    index = 0
    begin = None
    while index < len(name):
        if match := _NO_BRACKETS.match(name, index):
            index = match.end()
            continue
        if name[index] == "(" and depth == 0:
            begin = index
        depth += (name[index] in "<({") - (name[index] in ">)}")
        index += 1
        if begin is not None and depth == 0:
            # `f()::{lambda()#1}::operator()()`: the parameters of the inner function come last.
            if not name.startswith(("::", " const::"), index):
                return _without_result(name[:begin])
            begin = None
    return name


def _without_result(name: str) -> str:
    """Removes the type of the result, which templates have in front: `void f<int>` → `f<int>`."""
    depth = 0
    start = 0
    for index, letter in enumerate(name):
        depth += (letter in "<({") - (letter in ">)}")
        if letter != " " or depth or name.startswith(" const::", index):
            continue
        if "operator" not in name[start:index]:
            start = index + 1
    return name[start:]


def _demangled(symbol: str) -> str:
    demangle = _demangler()
    if demangle is None:
        return symbol
    status = ctypes.c_int()
    text = demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not text:
        return symbol
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(text))


@cache
def _demangler() -> "ctypes._NamedFuncPointer | None":
    """`abi::__cxa_demangle` of the C++ library; None if the library is missing."""
    for name in ("libstdc++.so.6", "libc++abi.so.1"):
        try:
            function = ctypes.CDLL(name)["__cxa_demangle"]
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_void_p
        return function
    return None
