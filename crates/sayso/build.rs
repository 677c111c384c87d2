//! Asks the linker for a short form of the addresses that the static program sets when it starts.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // musl reads this form from 1.2.4 on. Where the C library is the system's own, an older one may have to start the program.
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "musl") {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
