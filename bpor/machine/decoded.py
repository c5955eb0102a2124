"""A decoded function, with lists of the properties that are needed of every instruction: a list is ten times as fast as the decoder."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from iced_x86 import Decoder, Instruction

from bpor.lazy_dataclass import dataclass
from bpor.machine.flow import flow_of
from bpor.machine.functions import Function
from bpor.target.image import Image

_Fact = TypeVar("_Fact")


@dataclass(slots=True)
class Decoded:
    function: Function
    instructions: list[Instruction]  # empty: it is not all code
    addresses: list[int]
    codes: list[int]
    flows: list[int]  # where each leads
    known: bool = True  # where all jumps into it lead


class Facts(dict[int, _Fact]):
    """What all instructions of one code have in common, found out at the first of them."""

    def __init__(self, learn: Callable[[Instruction], _Fact]) -> None:
        self._learn = learn

    def each(self, codes: list[int], instructions: list[Instruction]) -> list[_Fact]:
        try:
            return list(map(self.__getitem__, codes))
        except KeyError:
            for code, instruction in zip(codes, instructions, strict=True):
                if code not in self:
                    self[code] = self._learn(instruction)
            return list(map(self.__getitem__, codes))


FLOWS = Facts(flow_of)


def decode(image: Image, function: Function) -> Decoded:
    return decode_bytes(image.at(function.start, function.end - function.start), function)


def decode_bytes(data: bytes, function: Function) -> Decoded:
    instructions = list(Decoder(64, data, ip=function.start)) if len(data) == function.end - function.start else []
    codes: list[int] = [instruction.code for instruction in instructions]
    if 0 in codes:  # Code.INVALID
        instructions, codes = [], []
    return Decoded(function, instructions, [each.ip for each in instructions], codes, FLOWS.each(codes, instructions))
