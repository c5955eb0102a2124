"""dataclass, field, replace, fields and asdict as in the standard library, for classes with slots, but methods are compiled late.

The standard decorator compiles up to seven methods of each class while a module is loaded. That was half of what it took to start the
tool: ninety classes, of which a run needs half. Here a method is compiled when it is first called. Type checkers see the standard one.

Invariant: once a method was called, it is the one that the standard library would have made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import asdict, dataclass, field, fields, replace

    __all__ = ["asdict", "compile_all", "dataclass", "field", "fields", "replace"]

_MISSING: Any = object()
_OURS = "__lazy_fields__"
_uncompiled: list[Callable[[], object]] = []  # one for each method that was not called yet


def compile_all() -> None:
    """For a process that must not change by itself later (bpor/extension/loading.py)."""
    while _uncompiled:
        _uncompiled.pop()()


class Field:
    """One field of a class."""

    __slots__ = ("compare", "default", "default_factory", "metadata", "name", "repr")

    def __init__(self, default: Any, default_factory: Any, repr: bool, compare: bool, metadata: dict[str, Any] | None) -> None:
        self.name = ""
        self.default, self.default_factory, self.repr, self.compare = default, default_factory, repr, compare
        self.metadata = metadata or {}


class _StandardFields:
    """`__dataclass_fields__`, for the standard library's own functions: made when somebody asks."""

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        import dataclasses

        def standard(ours: Field) -> Any:
            how: dict[str, Any] = {"repr": ours.repr, "compare": ours.compare, "metadata": ours.metadata}
            if ours.default is not _MISSING:
                how["default"] = ours.default
            elif ours.default_factory is not _MISSING:
                how["default_factory"] = ours.default_factory
            return dataclasses.field(**how)

        made = dataclasses.make_dataclass(owner.__name__, [(ours.name, Any, standard(ours)) for ours in _fields_of(owner)])
        found: dict[str, Any] = vars(made)["__dataclass_fields__"]
        setattr(owner, "__dataclass_fields__", found)  # noqa: B010 (no attribute to a type checker)
        return found


class _StandardParameters:
    """`__dataclass_params__`, for standard classes that inherit from ours."""

    def __init__(self, frozen: bool) -> None:
        self.frozen = frozen

    def __get__(self, instance: object, owner: type) -> Any:
        import dataclasses

        return vars(dataclasses.make_dataclass("Parameters", [], frozen=self.frozen))["__dataclass_params__"]


def _fields_of(kind: type) -> tuple[Field, ...]:
    found: tuple[Field, ...] = tuple(getattr(kind, _OURS).values())
    return found


def _define(kind: type, frozen: bool, hashed: bool) -> type:
    inherited: dict[str, Field] = {}
    for base in reversed(kind.__mro__[1:]):
        inherited |= base.__dict__.get(_OURS, {})
    space = dict(kind.__dict__)
    own = {name: _own_field(name, space.pop(name, _MISSING)) for name in kind.__annotations__}
    known = inherited | own
    compared = [name for name, ours in known.items() if ours.compare]
    space.pop("__dict__", None)
    space.pop("__weakref__", None)
    space |= {_OURS: known, "__dataclass_fields__": _StandardFields(), "__slots__": tuple(name for name in own if name not in inherited)}
    space["__dataclass_params__"] = _StandardParameters(frozen)
    space.setdefault("__match_args__", tuple(known))
    space.setdefault("__repr__", _repr)
    then = hasattr(kind, "__post_init__")
    sources = {"__init__": lambda: _init_source(known, frozen, then), "__eq__": lambda: _eq_source(compared)}
    if frozen:
        space |= {"__setattr__": _refuse, "__delattr__": _refuse, "__getstate__": _state, "__setstate__": _set_state}
    if space.get("__hash__") is None:
        space["__hash__"] = None
        if frozen or hashed:
            sources["__hash__"] = lambda: (f"def __hash__(self): return hash({_tuple('self', compared)})", {})
    missing = [name for name in sources if space.get(name) is None]
    made = type(kind)(kind.__name__, kind.__bases__, space)
    made.__qualname__ = kind.__qualname__
    for name in missing:
        _compile_late(made, name, sources[name])
    return made


def _own_field(name: str, given: Any) -> Field:
    made = given if isinstance(given, Field) else Field(given, _MISSING, True, True, None)
    if made.default is not _MISSING and type(made.default).__hash__ is None:
        raise ValueError(f"the default of {name} is shared by all objects and can change: use default_factory")
    made.name = name
    return made


def _compile_late(kind: type, name: str, source: Callable[[], tuple[str, dict[str, Any]]]) -> None:
    def make() -> Any:
        text, names = source()
        space: dict[str, Any] = {}
        exec(text, names, space)
        method = space[name]
        method.__qualname__ = f"{kind.__qualname__}.{name}"
        setattr(kind, name, method)
        return method

    def first(self: object, *args: Any, **named: Any) -> Any:
        return make()(self, *args, **named)

    _uncompiled.append(make)
    first.__name__ = name
    first.__qualname__ = f"{kind.__qualname__}.{name}"
    setattr(kind, name, first)


def _init_source(known: dict[str, Field], frozen: bool, then: bool) -> tuple[str, dict[str, Any]]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": _MISSING}
    parameters, body = ["self"], []
    for name, ours in known.items():
        value = name
        if ours.default_factory is not _MISSING:
            names[f"_make_{name}"] = ours.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif ours.default is not _MISSING:
            names[f"_default_{name}"] = ours.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    body += ["self.__post_init__()"] if then else []
    return f"def __init__({', '.join(parameters)}):\n  " + "\n  ".join(body or ["pass"]), names


def _eq_source(compared: list[str]) -> tuple[str, dict[str, Any]]:
    both = f"{_tuple('self', compared)} == {_tuple('other', compared)}"
    return f"def __eq__(self, other):\n  return {both} if other.__class__ is self.__class__ else NotImplemented", {}


def _tuple(of: str, names: list[str]) -> str:
    return f"({''.join(f'{of}.{name},' for name in names)})"


def _repr(self: Any) -> str:
    shown = (f"{ours.name}={getattr(self, ours.name)!r}" for ours in _fields_of(type(self)) if ours.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: object, name: str, *value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot change field {name!r}")


def _state(self: object) -> list[object]:
    return [getattr(self, ours.name) for ours in _fields_of(type(self))]


def _set_state(self: object, state: list[object]) -> None:
    for ours, value in zip(_fields_of(type(self)), state, strict=True):
        object.__setattr__(self, ours.name, value)


def _plain(value: Any) -> Any:
    """As asdict has it: also what lies in containers."""
    if hasattr(type(value), _OURS):
        return {ours.name: _plain(getattr(value, ours.name)) for ours in _fields_of(type(value))}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(map(_plain, value))
    return {_plain(key): _plain(held) for key, held in value.items()} if isinstance(value, dict) else value


if not TYPE_CHECKING:

    def dataclass(*, slots, frozen=False, unsafe_hash=False):
        assert slots, "a class without slots is for the standard library's"
        return lambda kind: _define(kind, frozen, unsafe_hash)

    def field(*, default=_MISSING, default_factory=_MISSING, repr=True, compare=True, metadata=None):
        return Field(default, default_factory, repr, compare, metadata)

    def fields(of):
        return _fields_of(of if isinstance(of, type) else type(of))

    def replace(value, /, **changes):
        for name in getattr(value, _OURS):
            if name not in changes:
                changes[name] = getattr(value, name)
        return value.__class__(**changes)

    def asdict(value):
        return _plain(value)
