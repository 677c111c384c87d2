//! Asks the linker for a program that starts fast, since a hook is started for each call of an agent: a short form of the addresses that it
//! sets when it starts, and one library less to load.

use std::path::Path;
use std::process::Command;

/// The first glibc that reads the short form. musl reads it from 1.2.4 on, and is in the program itself.
const GLIBC: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let reads_it = match var("CARGO_CFG_TARGET_ENV").as_str() {
        "musl" => true,
        // Made here it is run here, or where the C library is no older: it needs the one that it was made with in any case.
        "gnu" if var("CARGO_CFG_TARGET_OS") == "linux" && var("HOST") == var("TARGET") => {
            glibc().is_some_and(|version| version >= GLIBC)
        }
        _ => false,
    };
    if reads_it {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    // What unwinds the stack comes with the compiler; in the program it needs not be looked for and loaded at each start.
    let own = var("CARGO_CFG_TARGET_ENV") == "gnu"
        && var("CARGO_CFG_TARGET_OS") == "linux"
        && var("HOST") == var("TARGET");
    if let Some(folder) = own.then(unwinder).flatten() {
        println!("cargo::rustc-link-search=native={folder}");
        println!("cargo::rustc-link-lib=static:-bundle,+verbatim={UNWINDER}");
    }
}

const UNWINDER: &str = "libgcc_eh.a";

/// The folder of the compiler that has what unwinds the stack.
fn unwinder() -> Option<String> {
    let said = Command::new("cc")
        .arg(format!("-print-file-name={UNWINDER}"))
        .output()
        .ok()?;
    let path = String::from_utf8(said.stdout).ok()?;
    let path = Path::new(path.trim());
    // A compiler that has none says the bare name.
    path.is_absolute()
        .then(|| path.parent().map(|folder| folder.display().to_string()))
        .flatten()
}

/// The version of this machine's glibc.
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let text = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
