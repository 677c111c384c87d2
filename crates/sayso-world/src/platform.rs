//! What differs from one operating system to another. The values of macOS were never tried on a Mac.

/// Whether file systems usually take `A` and `a` for the same name here.
pub(crate) const USUALLY_INSENSITIVE: bool = cfg!(target_os = "macos");

/// Where git of a package manager looks for its system file, beside `/etc/gitconfig`.
pub(crate) const GIT_CONFIGS: &[&str] = if cfg!(target_os = "macos") {
    &["/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"]
} else {
    &[]
};
