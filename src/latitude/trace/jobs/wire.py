"""Protobuf's wire format: messages as fields, and fields as messages."""

from collections.abc import Iterator

from latitude._core import InputError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""Types of fields on the wire."""
_FIXED = {FIXED64: 8, FIXED32: 4}
_MORE = 0x80
_LOW = 0x7F
_WORD = 64
_MASK = (1 << _WORD) - 1


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The number at a position, below 2^64, and the next position.

    InputError, which names the byte: the data end within the number, or the number is too long.
    """
    number = shift = 0
    for place in range(at, min(end, at + 10)):
        byte = data[place]
        number |= (byte & _LOW) << shift
        if byte < _MORE:
            return number & _MASK, place + 1
        shift += 7
    raise InputError(f"byte {at:,}: a number without an end")


def fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a message in these bytes: number, and value or position.

    A number or a fixed field is (field, value, −1); a field of bytes is (field, begin, end). Values
    are not negative; `signed` converts values of signed types.

    InputError: the bytes are not a message; it names the first wrong byte.
    """
    while at < end:
        key = data[at]
        if key < _MORE:
            begin = at + 1
        else:
            key, begin = varint(data, at, end)
        kind = key & 7
        if kind == VARINT:
            value, at = varint(data, begin, end)
            yield key >> 3, value, -1
        elif kind == BYTES:
            length, begin = varint(data, begin, end)
            if length > end - begin:
                raise InputError(f"byte {at:,}: a field of {length:,} bytes, of which "
                                 f"{end - begin:,} are there")  # fmt: skip
            at = begin + length
            yield key >> 3, begin, at
        elif kind in _FIXED and begin + _FIXED[kind] <= end:
            at = begin + _FIXED[kind]
            yield key >> 3, int.from_bytes(data[begin:at], "little"), -1
        else:
            raise InputError(f"byte {at:,}: no field begins with {key}")


def numbers(data: bytes, at: int, end: int) -> list[int]:
    """Packed numbers. InputError as for `varint`."""
    found = []
    while at < end:
        number, at = varint(data, at, end)
        found.append(number)
    return found


def signed(number: int) -> int:
    """The number of a signed type, from its varint."""
    return number - (1 << _WORD) if number >> (_WORD - 1) else number


def put_varint(number: int) -> bytes:
    """The varint of a number, or of a negative number of a signed type."""
    number &= _MASK
    made = bytearray()
    while number >= _MORE:
        made.append(number & _LOW | _MORE)
        number >>= 7
    made.append(number)
    return bytes(made)


def put_number(field: int, number: int) -> bytes:
    """A field with a number; proto3 writes no field with 0."""
    return put_varint(field << 3 | VARINT) + put_varint(number) if number else b""


def put_bytes(field: int, content: bytes) -> bytes:
    """A field with bytes, a text or a message."""
    return put_varint(field << 3 | BYTES) + put_varint(len(content)) + content
