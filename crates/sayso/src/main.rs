//! The program. Everything is in the library, so that tests can call it.

/// The static build has one that asks the system for memory in larger pieces; a hook that starts for each call pays for every piece.
#[cfg(target_env = "musl")]
#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    sayso::cli::run()
}
