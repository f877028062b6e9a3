"""A kernel's PTX as a function in C: registers are variables, jumps are ``goto``, all accesses to memory are checked.

What ``instructions`` has no entry for, and registers of another width than an instruction's, are a ``PtxError``.
Registers begin as poison, so does the frame of local memory.
"""

from collections.abc import Iterator

from tests.ptx import instructions
from tests.ptx.instructions import Access, Meeting, Value
from tests.ptx.reading import (
    BYTES,
    Address,
    Double,
    Frame,
    Group,
    Instruction,
    Label,
    Module,
    Not,
    Number,
    Operand,
    Pair,
    PtxError,
    Register,
    Registers,
    Scope,
    Symbol,
    Variable,
    written,
)

C_TYPES = {f"{kind}{8 * n}": f"{'int' if kind == 's' else 'uint'}{8 * n}_t" for n in (1, 2, 4, 8) for kind in "sub"}
C_TYPES |= {"f64": "double", "pred": "uint8_t"}
REGISTER_BYTES = {"b16": 2, "b32": 4, "b64": 8, "u16": 2, "u32": 4, "u64": 8, "s16": 2, "s32": 4, "s64": 8, "f64": 8}
SPECIAL = {
    "%tid.x": "lane->tid",
    "%ctaid.x": "lane->ctaid",
    "%ntid.x": "lane->ntid",
    "%nctaid.x": "lane->nctaid",
    "%laneid": "lane->number",
    "%lanemask_lt": "((1u << lane->number) - 1)",
    "%lanemask_eq": "(1u << lane->number)",
}
LETTERS = "abcd"


def translate(module: Module) -> str:
    """The C of a module, to be compiled beside ``lane.h``. Raises PtxError for what is not known."""
    return "\n".join(_Translation(module).lines()) + "\n"


class _Translation:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.registers: dict[str, str] = {}
        self.frame: Frame | None = None
        self.labels: set[str] = set()
        self.line = 0
        self.places = 0  # of meetings
        self.offsets = dict(self._offsets())

    # ------------------------------------------------------------------------------------------------------ the module

    def lines(self) -> Iterator[str]:
        yield '#include "lane.h"'
        for variable in self.module.variables:
            yield _declaration(variable)
        yield f"const uint32_t kernel_variable_count = {len(self.module.variables)};"
        yield "const struct variable kernel_variables[] = {"
        for variable in self.module.variables:
            size, writable = variable.count * BYTES[variable.element], int(variable.space == "global")
            yield f'    {{"{variable.name}", {_c_name(variable.name)}, {size}, {writable}}},'
        yield "    {0}};"
        sizes = [BYTES[parameter.kind] for parameter in self.module.parameters]
        yield f"const uint32_t kernel_parameters = {len(sizes)};"
        yield f"const uint32_t kernel_sizes[] = {{{', '.join(map(str, [*sizes, 0]))}}};"
        yield "void kernel_run(struct lane *lane, const unsigned char *parameters) {"
        yield "    uint64_t frame_begin = 0, frame_end = 0;"
        for statement in self.module.statements:
            yield self._statement(statement)
        yield "}"

    def _offsets(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Of each parameter: where it lies among all of them, and its size."""
        at = 0
        for parameter in self.module.parameters:
            size = BYTES[parameter.kind]
            at = -(-at // size) * size
            yield parameter.name, (at, size)
            at += size

    def _statement(self, statement: object) -> str:
        match statement:
            case Label(name):
                self.labels.add(name)
                return f"{_c_name(name)}:;"
            case Scope(begins):
                return "{" if begins else "}"
            case Registers(kind, names):
                return self._declared(kind, names)
            case Frame(name, align, size):
                self.frame = statement
                variable = _c_name(name)
                return (
                    f"    unsigned char {variable}[{size}] __attribute__((aligned({max(align, 16)})));"
                    f" memset({variable}, (int)(lane->poison & 255), {size});"
                    f" frame_begin = (uint64_t){variable}, frame_end = frame_begin + {size};"
                )
            case Instruction():
                self.line = statement.line
                guard = f"if ({self._predicate(statement.guard)}) " if statement.guard else ""
                return f"    {guard}{{ {self._instruction(statement)} }}"
        raise AssertionError(statement)

    def _declared(self, kind: str, names: tuple[str, ...]) -> str:
        if kind != "pred" and kind not in REGISTER_BYTES:
            raise PtxError(f"unknown kind of register .{kind} {names[0]}")
        poison = {"pred": "lane->poison & 1", "f64": "double_of_bits(lane->poison)"}.get(kind, "lane->poison")
        self.registers.update(dict.fromkeys(names, kind))
        declared = ", ".join(f"{_c_name(name)} = {poison}" for name in names)
        return f"    {C_TYPES[kind]} {declared};" if declared else ""

    # ------------------------------------------------------------------------------------------------------- operands

    def _error(self, text: str) -> PtxError:
        return PtxError(f"PTX line {self.line}: {text}")

    def _kind(self, register: Register) -> str:
        try:
            return self.registers[register.name]
        except KeyError:
            raise self._error(f"unknown register {register.name}") from None

    def _predicate(self, operand: Operand) -> str:
        if isinstance(operand, Not):
            return f"!{self._predicate(operand.register)}"
        if isinstance(operand, Number):
            return str(int(operand.value != 0))
        if not isinstance(operand, Register) or self._kind(operand) != "pred":
            raise self._error("a predicate is wanted")
        return _c_name(operand.name)

    def _read(self, operand: Operand, kind: str, loose: bool = False) -> str:
        """An operand as a value of a type; ``loose`` where a register may be wider."""
        if kind == "pred":
            return self._predicate(operand)
        match operand:
            case Register(name) if name in SPECIAL:
                if kind not in ("u32", "b32"):
                    raise self._error(f"{name} has 32 bits")
                return SPECIAL[name]
            case Register(name):
                found = self._kind(operand)
                self._check_width(name, found, kind, loose)
                if (kind == "f64") == (found == "f64"):
                    return _c_name(name) if kind == "f64" else f"({C_TYPES[kind]}){_c_name(name)}"
                return f"{'double_of_bits' if kind == 'f64' else 'bits_of_double'}({_c_name(name)})"
            case Number(value) if kind != "f64":
                return f"({C_TYPES[kind]}){value & 2**64 - 1}ull"
            case Double(bits):
                return f"double_of_bits({bits:#x}ull)" if kind == "f64" else f"{bits:#x}ull"
            case Symbol(name) if BYTES.get(kind) == 8:
                return f"(uint64_t){self._symbol(name)}"
        raise self._error(f"{written(operand)} is no value of type .{kind}")

    def _check_width(self, name: str, found: str, kind: str, loose: bool) -> None:
        size, wanted = REGISTER_BYTES.get(found, 0), BYTES[kind]
        if size != wanted and not (loose and size > wanted):
            raise self._error(f"register {name} is .{found} where .{kind} is wanted")

    def _symbol(self, name: str) -> str:
        if name not in {v.name for v in self.module.variables} and (self.frame is None or name != self.frame.name):
            raise self._error(f"unknown symbol {name}")
        return _c_name(name)

    def _assign(self, operand: Operand, kind: str, value: str, loose: bool = False) -> str:
        """``value``, of a type, into a register; a wider one takes it extended by its sign, where it has one."""
        if not isinstance(operand, Register):
            raise self._error(f"{written(operand)} is no register")
        found = self._kind(operand)
        if kind == "pred" or found == "pred":
            if kind != found:
                raise self._error(f"register {operand.name} is .{found} where .{kind} is wanted")
            return f"{_c_name(operand.name)} = ({value}) != 0;"
        self._check_width(operand.name, found, kind, loose)
        if kind == "f64" or found == "f64":
            typed = f"({C_TYPES[kind]})({value})"
            change = "" if kind == found else "double_of_bits" if found == "f64" else "bits_of_double"
            return f"{_c_name(operand.name)} = {change}({typed});"
        return f"{_c_name(operand.name)} = ({C_TYPES[kind]})({value});"

    # --------------------------------------------------------------------------------------------------- instructions

    def _instruction(self, i: Instruction) -> str:
        if i.mnemonic in instructions.VALUES:
            return self._value(i, instructions.VALUES[i.mnemonic])
        if i.mnemonic in instructions.MEMORY:
            access = instructions.MEMORY[i.mnemonic]
            return {"load": self._load, "store": self._store, "add": self._add}[access.verb](i, access)
        if i.mnemonic in instructions.MEETINGS:
            return self._meeting(i, instructions.MEETINGS[i.mnemonic])
        if i.mnemonic in instructions.OTHERS:
            return self._other(i)
        raise self._error(f"unknown instruction {i.mnemonic}")

    def _expect(self, i: Instruction, count: int) -> None:
        if len(i.operands) != count:
            raise self._error(f"{i.mnemonic} with {len(i.operands)} operands")

    def _value(self, i: Instruction, entry: Value) -> str:
        self._expect(i, 1 + len(entry.operands))
        result, *operands = i.operands
        parts = [
            f"const {C_TYPES[kind]} {letter} = {self._read(operand, kind, entry.loose)};"
            for letter, kind, operand in zip(LETTERS, entry.operands, operands, strict=False)
        ]
        return " ".join([*parts, self._assign(result, entry.result, entry.expression, entry.loose)])

    def _address(self, operand: Operand) -> str:
        if not isinstance(operand, Address):
            raise self._error(f"{written(operand)} is no address")
        return f"const uint64_t address = {self._read(operand.base, 'u64')} + (int64_t){operand.offset};"

    def _check(self, access: Access) -> str:
        """The check of an access of a whole vector at ``address``."""
        size = access.count * BYTES[access.element]
        local = f"check_local(lane, address, {size}, frame_begin, frame_end, {self.line});"
        elsewhere = f"emulator_{access.verb if access.verb != 'add' else 'atomic'}(lane, address, {size}, {self.line});"
        if access.space == "local":
            return local
        if access.space == "any":
            return f"if (address - frame_begin < frame_end - frame_begin) {local} else {elsewhere}"
        return elsewhere

    def _elements(self, operand: Operand, count: int) -> tuple[Operand | None, ...]:
        found = operand.items if isinstance(operand, Group) else (operand,)
        if len(found) != count:
            raise self._error(f"a vector of {len(found)}, of {count} is wanted")
        return found

    def _load(self, i: Instruction, access: Access) -> str:
        self._expect(i, 2)
        target, source = i.operands
        if access.space == "param":
            return self._parameter(target, source, access)
        kind = access.element
        parts = [self._address(source), self._check(access)]
        values = [f"(({C_TYPES[kind]} *)address)[{k}]" for k in range(access.count)]
        parts += [f"const {C_TYPES[kind]} {letter} = {value};" for letter, value in zip(LETTERS, values, strict=False)]
        for letter, element in zip(LETTERS, self._elements(target, access.count), strict=False):
            if element is not None:
                parts.append(self._assign(element, kind, letter, loose=True))
        return " ".join(parts)

    def _parameter(self, target: Operand, source: Operand, access: Access) -> str:
        if (
            not isinstance(source, Address)
            or not isinstance(source.base, Symbol)
            or source.base.name not in self.offsets
        ):
            raise self._error(f"{written(source)} is no parameter")
        at, size = self.offsets[source.base.name]
        if access.count != 1 or source.offset or size != BYTES[access.element]:
            raise self._error(f"a part of parameter {source.base.name}")
        return self._assign(
            target, access.element, f"*(const {C_TYPES[access.element]} *)(parameters + {at})", loose=True
        )

    def _store(self, i: Instruction, access: Access) -> str:
        self._expect(i, 2)
        target, source = i.operands
        parts = [self._address(target), self._check(access)]
        for k, element in enumerate(self._elements(source, access.count)):
            if element is None:
                raise self._error("a vector with a gap is stored")
            value = self._read(element, access.element, loose=True)
            parts.append(f"(({C_TYPES[access.element]} *)address)[{k}] = {value};")
        return " ".join(parts)

    def _add(self, i: Instruction, access: Access) -> str:
        """No lane goes on between the load and the store, so the addition is one step."""
        returns = i.mnemonic.startswith("atom")
        self._expect(i, 3 if returns else 2)
        *target, address, addend = i.operands
        unsigned = C_TYPES[access.element.replace("s", "u")]
        parts = [self._address(address), self._check(access), f"{unsigned} *at = ({unsigned} *)address;"]
        parts += [f"const {unsigned} before = *at;", f"*at = before + {self._read(addend, access.element)};"]
        return " ".join(parts + ([self._assign(target[0], access.element, "before")] if returns else []))

    def _meeting(self, i: Instruction, entry: Meeting) -> str:
        self.places += 1
        shuffle = entry.kind.startswith("SHUFFLE")
        self._expect(i, 5 if shuffle else 3)
        result, brought, mask = i.operands[0], i.operands[1], i.operands[-1]
        fields = [
            f".place = {self.places}, .line = {self.line}, .kind = {entry.kind}",
            f".value = {self._read(brought, entry.operand)}, .mask = {self._read(mask, 'u32')}",
        ]
        if shuffle:
            fields.append(f".lane = {self._read(i.operands[2], 'u32')}, .clamp = {self._read(i.operands[3], 'u32')}")
        kind = "pred" if i.mnemonic.endswith(".pred") else "u32"
        parts = [f"struct meeting m = {{{', '.join(fields)}}}; emulator_meet(lane, &m);"]
        if isinstance(result, Pair):
            if not shuffle:
                raise self._error(f"{i.mnemonic} with two results")
            parts.append(self._assign(result.predicate, "pred", "m.in_range"))
            result = result.result
        return " ".join([*parts, self._assign(result, kind, "m.result")])

    def _other(self, i: Instruction) -> str:
        name = i.mnemonic
        if name.startswith("bra"):
            return self._jump(i)
        if name in ("ret", "exit"):
            return "return;"
        if name == "trap":
            return f'emulator_fault(lane, {self.line}, "a trap");'
        if name == "stackrestore.u32":
            return ""
        if name == "stacksave.u32":
            return self._assign(i.operands[0], "u32", "0")
        if name.startswith("cvta"):
            self._expect(i, 2)
            return self._assign(i.operands[0], "u64", self._read(i.operands[1], "u64"))
        return self._packed(i)

    def _jump(self, i: Instruction) -> str:
        self._expect(i, 1)
        (target,) = i.operands
        if not isinstance(target, Symbol):
            raise self._error(f"{written(target)} is no label")
        check = f"check_end(lane, {self.line}); " if target.name in self.labels else ""
        return f"{check}goto {_c_name(target.name)};"

    def _packed(self, i: Instruction) -> str:
        """``mov.b64``: a value as it is, or packed of its parts, or taken to parts."""
        self._expect(i, 2)
        target, source = i.operands
        kind = f"u{i.mnemonic[5:]}"
        width = 8 * BYTES[kind]
        if isinstance(target, Group):
            part = width // len(target.items)
            parts = [f"const uint{width}_t a = {self._read(source, kind)};"]
            for k, item in enumerate(target.items):
                if item is not None:
                    parts.append(self._assign(item, f"u{part}", f"a >> {k * part}"))
            return " ".join(parts)
        if isinstance(source, Group):
            part = width // len(source.items)
            values = []
            for k, item in enumerate(source.items):
                if item is None:
                    raise self._error("a value is packed with a gap")
                values.append(f"(uint{width}_t){self._read(item, f'u{part}')} << {k * part}")
            return self._assign(target, kind, " | ".join(values))
        return self._assign(target, kind, self._read(source, kind))


def _c_name(name: str) -> str:
    """A name of PTX as one of C."""
    return "v_" + name.replace("%", "r_").replace("$", "_D_").replace(".", "_")


def _declaration(variable: Variable) -> str:
    values = ", ".join(f"{value & 2**64 - 1}ull" for value in variable.values)
    begins = f" = {{{values}}}" if values else ""
    kind, align = C_TYPES[variable.element], f"__attribute__((aligned({variable.align})))"
    return f"static {kind} {_c_name(variable.name)}[{variable.count}] {align}{begins};"
