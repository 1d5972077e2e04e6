import contextlib
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latitude import InputError
from latitude.units.quantities import (
    format_change,
    format_factor,
    format_per_byte,
    format_share,
    format_size,
    format_time,
    parse_fraction,
    parse_interval,
    parse_number,
    parse_per_byte,
    parse_size,
    parse_time,
    parse_whole,
)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("3us", 3000.0),
        ("100ns", 100.0),
        ("0.018ns", 0.018),
        ("1.5ms", 1.5e6),
        ("1.5 ms", 1.5e6),
        ("2s", 2e9),
        ("3µs", 3000.0),
        ("3μs", 3000.0),
        ("1e3ns", 1000.0),
        (".5us", 500.0),
        ("0.1us", 100.0),
        ("0", 0.0),
    ],
)
def test_times(text: str, ns: float) -> None:
    assert parse_time(text) == ns


@pytest.mark.parametrize(
    ("text", "size"),
    [("256KiB", 262144), ("64B", 64), ("1.5KiB", 1536), ("8 MB", 8_000_000), ("2GiB", 2**31)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0.018ns", 0.018),
        ("0.018ns/B", 0.018),
        ("5ns/byte", 5.0),
        ("50GB/s", 0.02),
        ("400Gbit/s", 0.02),
        ("1GiB/s", 1e9 / 2**30),
        ("0", 0.0),
    ],
)
def test_costs_per_byte(text: str, ns: float) -> None:
    assert parse_per_byte(text) == ns


@pytest.mark.parametrize(
    ("parse", "text", "advice"),
    [
        (parse_time, "3", "has no unit; write e.g. 3us"),
        (parse_time, "3parsec", "unknown unit 'parsec'; use ns, us, ms or s"),
        (parse_time, "us", "not a number with a unit"),
        (parse_time, "-3us", "negative"),
        (parse_time, "nanus", "not a number"),
        (parse_time, "inf us", "not a number"),
        (parse_time, "1e999999999s", "out of range"),
        (parse_time, "9" * 5000 + "s", "out of range"),
        (parse_size, "1e-" + "9" * 5000 + "B", "out of range"),
        (parse_time, "31years", "unknown unit"),
        (parse_time, "1e10s", "out of range"),
        (parse_size, "1e20GiB", "out of range"),
        (parse_size, "256", "has no unit; write e.g. 256KiB"),
        (parse_size, "256KB", "unknown unit 'KB'; use B, KiB"),
        (parse_size, "1.5B", "whole number of bytes"),
        (parse_per_byte, "0.018", "has no unit; write e.g. 0.018ns/B"),
        (parse_per_byte, "0GB/s", "never delivers"),
        (parse_interval, "3us", "not an interval"),
        (parse_interval, "3us:1us", "empty"),
        (parse_interval, "3:103", "no unit"),
        (parse_fraction, "0", "not positive"),
        (parse_fraction, "5 percent", "not a share"),
    ],
)
def test_wrong_quantities_say_what_to_write(
    parse: Callable[[str], object], text: str, advice: str
) -> None:
    with pytest.raises(InputError) as error:
        parse(text)
    assert advice in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("text", "count"), [("12", 12), ("1,000", 1000), (" 7 ", 7)])
def test_whole_numbers(text: str, count: int) -> None:
    assert parse_whole(text, "a number of nodes") == count


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("-1", "'-1' is not a number of nodes; write a whole number from 1"),
        ("0", "from 1"),
        ("1.5", "from 1"),
        ("1,5", "from 1"),
        ("²", "from 1"),
        ("", "from 1"),
        ("9" * 5000, "from 1"),
        ("1001", "write a whole number from 1 to 1,000"),
    ],
)
def test_what_is_no_whole_number_says_what_to_write(text: str, advice: str) -> None:
    with pytest.raises(InputError, match=advice):
        parse_whole(text, "a number of nodes", 1, 1000)


def test_numbers_without_a_unit() -> None:
    assert parse_number("-0.5", "a correlation", -1, 1) == -0.5
    for text in ("nan", "inf", "-1.1", "x", ""):
        with pytest.raises(InputError, match="is not a correlation; write a number from -1 to 1"):
            parse_number(text, "a correlation", -1, 1)


def test_intervals_and_shares() -> None:
    assert parse_interval("3us:103us") == (3000.0, 103000.0)
    assert parse_interval("0:2us") == (0.0, 2000.0)
    assert parse_fraction("5%") == parse_fraction("0.05") == 0.05


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0.0, "0 ns"),
        (1615.0, "1.615 µs"),
        (999.96, "1 µs"),
        (3000.0, "3 µs"),
        (71_840_000.0, "71.84 ms"),
        (2.5e9, "2.5 s"),
        (0.018, "0.018 ns"),
        (123_456e9, "123500 s"),
    ],
)
def test_formatted_times(ns: float, text: str) -> None:
    assert format_time(ns) == text


def test_formatted_others() -> None:
    assert format_size(262144) == "256 KiB"
    assert format_size(100) == "100 B"
    assert format_per_byte(0.018) == "0.018 ns/B (55.56 GB/s)"
    assert format_per_byte(0.0) == "0 ns/B (unlimited bandwidth)"
    assert format_share(0.05) == "5%"
    assert format_share(1e-7) == "0.00001%"
    assert format_share(2e-8) == "under 0.00001%"
    assert format_share(0.0) == "0%"
    assert format_change(-2e-8) == "under ±0.00001%"


def test_factors_have_two_digits_and_no_exponent() -> None:
    factors = (7934.2, 1.25e6, 19.4, 9.96, 9.94, 1.5, 0.0)
    shown = ["7,900", "1,200,000", "19", "10", "9.9", "1.5", "0"]
    assert [format_factor(factor) for factor in factors] == shown


@given(st.floats(min_value=1e-3, max_value=1e9), st.sampled_from(["ns", "us", "µs", "ms", "s"]))
def test_parsing_scales_by_the_unit(value: float, unit: str) -> None:
    scale = {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]
    assert parse_time(f"{value!r}{unit}") == pytest.approx(value * scale, rel=1e-15)


@given(st.floats(min_value=1e-3, max_value=1e17))
def test_a_formatted_time_parses_back(ns: float) -> None:
    assert parse_time(format_time(ns, 17)) == pytest.approx(ns, rel=1e-9)


@given(st.text(max_size=20))
def test_any_text_is_a_time_or_an_input_error(text: str) -> None:
    with contextlib.suppress(InputError):
        assert 0 <= parse_time(text) < math.inf


@given(st.integers(min_value=0, max_value=2**62))
def test_sizes_are_exact(size: int) -> None:
    assert parse_size(f"{size}B") == size
