//! The program. Everything is in the library, so that tests can call it.

fn main() -> std::process::ExitCode {
    sayso::cli::run()
}
