//! Sizes as people read them.

use crate::text::count::count;

/// "512 bytes", "2.3 KB", "16.0 MB".
pub fn words(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes == 1 {
        return "1 byte".to_owned();
    }
    if bytes < 1024 {
        return count(bytes, "byte");
    }
    let mut tenths = u128::from(bytes) * 10 / 1024;
    for unit in UNITS {
        if tenths < 10_240 {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
        tenths /= 1024;
    }
    format!("{} PB", tenths / 10)
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn table() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1.0 KB"),
            (2400, "2.3 KB"),
            (16 * 1024 * 1024, "16.0 MB"),
            (3 << 30, "3.0 GB"),
            (5 << 40, "5.0 TB"),
            (u64::MAX, "16383 PB"),
        ] {
            assert_eq!(words(bytes), text, "{bytes}");
        }
    }
}
