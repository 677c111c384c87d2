"""The tables of guarded names are made by the compiler; in the woven copy they are made at the start, so that changes in how can be switched.

Where the making fails or does not end, the compiler would have stopped: such a change is not viable.
"""

import re

LAID_OUT = "crates/sayso-core/src/paths/const_table.rs"
NOT_VIABLE = 97

# What goes into the module of the switch.
MAKE = f"""
pub fn make<T>(new: impl FnOnce() -> T) -> &'static T {{
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(new)) {{
        Ok(made) => Box::leak(Box::new(made)),
        Err(_) => std::process::exit({NOT_VIABLE}),
    }}
}}
"""


def before(name, text):
    """The functions are no longer for the compiler. Everything stays where it was."""
    return text.replace("const fn", "      fn") if name == LAID_OUT else text


def after(name, woven, source):
    """The tables are made when they are first needed; only their size is still the compiler's, by the function as it was."""
    if name == LAID_OUT:
        size = re.search(r"pub\(super\) const fn size.*?\n}\n", source, re.DOTALL)[0]
        return woven + size.replace("fn size", "fn size_as_it_was")
    if name.endswith("/paths/table.rs"):
        woven = woven.replace("const_table::size(LISTED)", "const_table::size_as_it_was(LISTED)")
        woven = re.sub(r"const LAID_OUT: (&)(.*) = &(\S+::new\(LISTED\));", AT_START, woven)
        return woven.replace("Table::new(LAID_OUT)", "Table::new(laid_out)")
    woven = re.sub(r"&(\w+::TABLE)\b", r"&*\1", woven)
    return re.sub(r"(static \w+): Table = (table!\(.*?\));", r"\1: std::sync::LazyLock<Table> = std::sync::LazyLock::new(|| \2);", woven)


AT_START = r"""let laid_out: &'static \2 = $crate::woven::make(|| {
            assert!($crate::paths::const_table::size(LISTED) == SIZE);
            \3
        });"""
