"""Weaves changes into Rust source so that one build holds them all: each is switched on by its number, and without one nothing is changed.

A change is what `cargo mutants --list --json` tells of it, with a number. The text that comes out has a mark before and after each place
where changes were woven in, by which `culprits` finds those that do not compile.
"""

import re
from collections import defaultdict

import at_start
import tree_sitter_rust
from tree_sitter import Language, Parser

PARSER = Parser(Language(tree_sitter_rust.language()))
LOGIC = ("&&", "||")
ARITHMETIC = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
ORDER = ("<", ">", "<=", ">=")

# The module that tells which change is on. With SAYSO_REACH, it writes down which ones are come by instead.
SWITCH = """//! Which change is switched on.
#![allow(clippy::all, clippy::disallowed_methods, missing_docs)]
use std::io::Write as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

static NUMBER: LazyLock<u32> = LazyLock::new(|| std::env::var("SAYSO_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0));
static REACH: LazyLock<Option<std::fs::File>> = LazyLock::new(|| {
    let name = std::env::var("SAYSO_REACH").ok()?;
    Some(std::fs::OpenOptions::new().append(true).create(true).open(name).unwrap())
});
static REACHED: [AtomicBool; 1 << 14] = [const { AtomicBool::new(false) }; 1 << 14];

#[inline]
pub fn m(number: u32) -> bool {
    match *NUMBER {
        0 => {
            if let Some(mut file) = REACH.as_ref() && !REACHED[number as usize].swap(true, Ordering::Relaxed) {
                file.write_all(format!("{number}\\n").as_bytes()).unwrap();
            }
            false
        }
        on => on == number,
    }
}

#[derive(Clone)]
pub enum Either<A, B> {
    One(A),
    Other(B),
}

impl<A: Iterator, B: Iterator<Item = A::Item>> Iterator for Either<A, B> {
    type Item = A::Item;

    fn next(&mut self) -> Option<A::Item> {
        match self {
            Either::One(one) => one.next(),
            Either::Other(other) => other.next(),
        }
    }
}
""" + at_start.MAKE


def on(number):
    return f"crate::woven::m({number})"


class Woven:
    """One file: the changes that could be woven in, and those that could not with the reason."""

    def __init__(self, name, source, changes):
        self.source = at_start.before(name, source).encode()
        self.lines = [0]
        for line in self.source.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)
        self.root = PARSER.parse(self.source).root_node
        self.plans = defaultdict(list)
        self.left = {}
        # Arms that are left out and have no guard: a match may lack them.
        self.bare_arms = []
        for number, change in changes:
            try:
                node = self.place(change)
                self.plans[node.id].append((number, change))
                if change["genre"] == "MatchArm" and not node.child_by_field_name("condition"):
                    self.bare_arms.append(number)
            except CannotWeave as why:
                self.left[number] = why
        self.text = at_start.after(name, self.render(self.root), source)

    def byte(self, position):
        start = self.lines[position["line"] - 1]
        line = self.source[start : self.lines[position["line"]]].decode()
        return start + len(line[: position["column"] - 1].encode())

    def place(self, change):
        """The node that a change is woven into."""
        start, end = self.byte(change["span"]["start"]), self.byte(change["span"]["end"])
        node = self.root.descendant_for_byte_range(start, end)
        check_that_it_runs(node)
        genre = change["genre"]
        if genre == "FnValue":
            node = up(node, "function_item")
            if re.search(r"\bimpl (?!Iterator)|\w<impl ", change["function"]["return_type"]):
                raise CannotWeave("it returns a type without a name")
            return node.child_by_field_name("body")
        if genre == "UnaryOperator":
            return expect(node.parent, "unary_expression")
        if genre == "BinaryOperator":
            if node.parent.type == "compound_assignment_expr":
                return node.parent
            if node.type in LOGIC:
                return self.chain(node)
            expect(node.parent, "binary_expression")
            self.check_that_it_stays_together(node, change["replacement"])
            return node.parent
        if genre in ("MatchArm", "MatchArmGuard"):
            pattern = up(node, "match_arm").child_by_field_name("pattern")
            condition = pattern.child_by_field_name("condition")
            if genre == "MatchArmGuard" and condition.type in ("let_chain", "let_condition"):
                raise CannotWeave("the guard has a let")
            return pattern
        if genre == "StructField":
            # What is listed ends with the comma.
            node = up(self.root.descendant_for_byte_range(start, start + 1), "field_initializer", "shorthand_field_initializer")
            return expect(node.parent.parent, "struct_expression")
        raise CannotWeave(f"{genre} is not known")

    def chain(self, operator):
        """The outermost of `&&` and `||` that an operator stands in without parentheses."""
        node = operator.parent
        while True:
            if node.type in ("let_chain", "let_condition"):
                raise CannotCompile("a let stands beside it, and no `||` may")
            above = node.parent
            if above.type in ("let_chain", "let_condition") or (above.type == "binary_expression" and operator_of(above) in LOGIC):
                node = above
            else:
                return expect(node, "binary_expression")

    def check_that_it_stays_together(self, operator, replacement):
        """Another operator may bind more or less than the one before: then other operands would belong to it."""
        start, end = operator.start_byte, operator.end_byte
        changed = PARSER.parse(self.source[:start] + replacement.encode() + self.source[end:]).root_node
        after = changed.descendant_for_byte_range(start, start + len(replacement)).parent
        more = len(replacement) - (end - start)
        if (after.start_byte, after.end_byte) != (operator.parent.start_byte, operator.parent.end_byte + more):
            raise CannotWeave("it binds otherwise")

    def raw(self, start, end):
        return self.source[start:end].decode()

    def render(self, node):
        plan = self.plans.get(node.id)
        if not plan:
            return self.copy(node)
        text = self.weave(node, plan)
        # Each line stays where it was, so that a mistake is found by its line.
        return text + "\n" * (node.text.count(b"\n") - text.count("\n"))

    def copy(self, node):
        """A node as it was, with what is woven into its parts."""
        if not node.child_count:
            return self.raw(node.start_byte, node.end_byte)
        out, at = [], node.start_byte
        for child in node.children:
            out += [self.raw(at, child.start_byte), self.render(child)]
            at = child.end_byte
        return "".join(out) + self.raw(at, node.end_byte)

    def field(self, node, name):
        return self.render(node.child_by_field_name(name))

    def weave(self, node, plan):
        if node.type == "block" and "impl " in plan[0][1]["function"]["return_type"]:
            return self.weave_iterators(node, plan)
        if node.type == "block":
            early = "".join(mark([n], f"if {on(n)} {{ return {change['replacement']}; }}") for n, change in plan)
            return "{" + early + self.copy(node)[1:]
        if node.type == "match_pattern":
            return self.weave_arm(node, plan)
        if node.type == "struct_expression":
            return self.weave_fields(node, plan)
        numbers = [number for number, _ in plan]
        if node.type == "unary_expression":
            (number,) = numbers
            inner = self.render(node.children[1])
            text = f"{on(number)} ^ (!{inner})" if node.children[0].type == "!" else f"if {on(number)} {{ {inner} }} else {{ -{inner} }}"
            return mark(numbers, f"({text})")
        operator = operator_of(node)
        if operator in LOGIC:
            return mark(numbers, self.weave_chain(node, plan))
        left, right = self.field(node, "left"), self.field(node, "right")
        if node.type == "compound_assignment_expr":
            return mark(numbers, choose([(n, f"{left} {change['replacement']} {right}") for n, change in plan], f"{left} {operator} {right}"))
        if operator in ("==", "!="):
            (number,) = numbers
            return mark(numbers, f"({on(number)} ^ ({left} {operator} {right}))")
        ways = [(n, f"woven_l {change['replacement']} woven_r") for n, change in plan]
        choice = choose(ways, f"woven_l {operator} woven_r")
        by = "&" if operator in ORDER else ""
        return mark(numbers, f"(match ({by}({left}), {by}({right})) {{ (woven_l, woven_r) => {choice} }})")

    def weave_iterators(self, node, plan):
        """All that may be returned has to be of one type, which is a choice of two, and of two again."""
        otherwise = f"{{ {self.copy(node)} }}"
        for number, change in reversed(plan):
            text = f"if {on(number)} {{ crate::woven::Either::One({change['replacement']}) }}"
            otherwise = "{ " + mark([number], text) + f" else {{ crate::woven::Either::Other({otherwise}) }} }}"
        return otherwise

    def weave_chain(self, node, plan):
        """`&&` binds more than `||`, whichever of them are changed: each operand counts by what stands before it."""
        changed = {self.byte(change["span"]["start"]): number for number, change in plan}
        label = f"'woven{plan[0][0]}"
        parts = list(flat(node))
        out = f"({label}: {{ let woven_c: bool = {self.render(parts[0])}; "
        for operator, operand in zip(parts[1::2], parts[2::2]):
            number = changed.get(operator.start_byte)
            is_or = {"&&": "false", "||": "true"}[operator.type]
            if number:
                is_or = on(number) if operator.type == "&&" else f"!{on(number)}"
            out += f"let woven_c: bool = if woven_c != ({is_or}) {{ {self.render(operand)} }} else if woven_c {{ break {label} true }} else {{ false }}; "
        return out + "woven_c })"

    def weave_arm(self, node, plan):
        condition = node.child_by_field_name("condition")
        never = [n for n, change in plan if change["genre"] == "MatchArm" or change["replacement"] == "false"]
        always = [n for n, change in plan if change["genre"] == "MatchArmGuard" and change["replacement"] == "true"]
        guard = [f"!{on(n)}" for n in never]
        if condition:
            text = self.render(condition)
            if condition.type not in ("let_chain", "let_condition"):
                text = "(" + " || ".join([on(n) for n in always] + [f"({text})"]) + ")"
            guard.append(text)
        pattern = self.copy_until_if(node)
        return mark([n for n, _ in plan], f"{pattern} if {' && '.join(guard)}")

    def copy_until_if(self, node):
        out, at = [], node.start_byte
        for child in node.children:
            if child.type == "if":
                break
            out += [self.raw(at, child.start_byte), self.render(child)]
            at = child.end_byte
        return "".join(out)

    def weave_fields(self, node, plan):
        """A field that is left out has the value that it has in what the rest is taken from."""
        body = node.child_by_field_name("body")
        base = next(child for child in body.children if child.type == "base_field_initializer").children[1]
        left_out = {self.byte(change["span"]["start"]): number for number, change in plan}
        name = self.raw(base.start_byte, base.end_byte) if base.type == "identifier" else "woven_base"
        fields = []
        for child in (child for child in body.named_children if "comment" not in child.type):
            number = left_out.get(child.start_byte)
            text = self.render(child)
            if child.type == "base_field_initializer":
                text = f"..{name}"
            elif number and child.type == "shorthand_field_initializer":
                text = f"{text}: if {on(number)} {{ {name}.{text} }} else {{ {text} }}"
            elif number:
                field = self.field(child, "field")
                text = f"{field}: if {on(number)} {{ {name}.{field} }} else {{ {self.field(child, 'value')} }}"
            fields.append(text)
        made = f"{self.field(node, 'name')} {{ {', '.join(fields)} }}"
        if name == "woven_base":
            made = f"{{ let woven_base = {self.render(base)}; {made} }}"
        return mark([n for n, _ in plan], f"({made})")


class CannotWeave(Exception):
    """Why a change has to be made by itself."""


class CannotCompile(CannotWeave):
    """Why a change is not viable, woven or not."""


def mark(numbers, text):
    return f"/*[{','.join(map(str, numbers))}*/{text}/*]*/"


def choose(ways, otherwise):
    return "".join(f"if {on(number)} {{ {text} }} else " for number, text in ways) + f"{{ {otherwise} }}"


def operator_of(node):
    return node.child_by_field_name("operator").type


def flat(node):
    """Operands and operators of a chain in their order."""
    if node.type == "binary_expression" and operator_of(node) in LOGIC:
        yield from flat(node.child_by_field_name("left"))
        yield node.child_by_field_name("operator")
        yield from flat(node.child_by_field_name("right"))
    else:
        yield node


def expect(node, kind):
    if node.type != kind:
        raise CannotWeave(f"it stands in {node.type}")
    return node


def up(node, *kinds):
    while node and node.type not in kinds:
        node = node.parent
    if not node:
        raise CannotWeave(f"it stands in no {kinds[0]}")
    return node


def check_that_it_runs(node):
    """What is evaluated by the compiler cannot be switched when the program runs."""
    while node:
        if node.type in ("const_item", "static_item", "token_tree"):
            raise CannotWeave(f"it stands in {node.type}")
        if node.type == "function_item":
            modifiers = next((child for child in node.children if child.type == "function_modifiers"), None)
            if modifiers and b"const" in modifiers.text.split():
                raise CannotWeave("the function is const")
        node = node.parent


def culprits(text, spans):
    """The changes around each place (bytes) that the compiler does not like, the nearest ones only; `None` for a place without."""
    text = text.encode()
    marks = []
    for found in re.finditer(rb"/\*\[([\d,]+)\*/|/\*\]\*/", text):
        if found[1]:
            marks.append([found.start(), None, [int(number) for number in found[1].split(b",")]])
        else:
            next(mark for mark in reversed(marks) if mark[1] is None)[1] = found.end()
    for start, end in spans:
        around = [mark for mark in marks if mark[0] <= start and end <= mark[1]]
        yield max(around, key=lambda mark: mark[0])[2] if around else None
