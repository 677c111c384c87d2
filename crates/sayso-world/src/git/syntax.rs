//! The syntax of git's configuration files, as git's own reader takes it.

/// One setting of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Lowercase.
    pub section: String,
    /// As written, `[section "subsection"]`.
    pub subsection: Option<String>,
    /// Lowercase.
    pub name: String,
    /// None for a name alone, which means "true".
    pub value: Option<String>,
}

/// The settings of one file, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ConfigFile {
    pub settings: Vec<Setting>,
    /// The reading stopped at something that is no configuration; git itself would refuse the whole file.
    pub broken: bool,
}

impl Setting {
    /// `section.subsection.name`.
    pub(crate) fn key(&self) -> String {
        match &self.subsection {
            Some(subsection) => format!("{}.{subsection}.{}", self.section, self.name),
            None if self.section.is_empty() => self.name.clone(),
            None => format!("{}.{}", self.section, self.name),
        }
    }

    /// The setting as a truth value, if it is one.
    pub(crate) fn truth(&self) -> Option<bool> {
        let Some(value) = &self.value else {
            return Some(true);
        };
        match value.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" | "" => Some(false),
            _ => None,
        }
    }
}

impl ConfigFile {
    /// Reads a file; what is wrong with it is in [`ConfigFile::broken`].
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut file = ConfigFile::default();
        file.broken = Reader { bytes, at: 0 }.file(&mut file.settings).is_none();
        file
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next byte, with the end of the file as one more line end, and CR LF as one.
    fn next(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(b'\n');
        self.at += 1;
        if byte == b'\r' && self.bytes.get(self.at) == Some(&b'\n') {
            self.at += 1;
            return b'\n';
        }
        byte
    }

    /// None where the text is no configuration.
    fn file(&mut self, settings: &mut Vec<Setting>) -> Option<()> {
        // git takes settings before the first section too, under their name alone.
        let mut section = (String::new(), None);
        while self.at < self.bytes.len() {
            match self.next() {
                byte if is_space(byte) => {}
                b'#' | b';' => while self.next() != b'\n' {},
                b'[' => section = self.section()?,
                byte if byte.is_ascii_alphabetic() => {
                    let (section, subsection) = section.clone();
                    let (name, value) = self.setting(byte)?;
                    settings.push(Setting {
                        section,
                        subsection,
                        name,
                        value,
                    });
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn section(&mut self) -> Option<(String, Option<String>)> {
        let mut name = String::new();
        loop {
            match self.next() {
                b']' if name.is_empty() => return None,
                b']' => break,
                b'\n' => return None,
                byte if is_space(byte) => {
                    name.push('.');
                    name.push_str(&self.subsection()?);
                    break;
                }
                byte if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.' => {
                    name.push(byte.to_ascii_lowercase() as char)
                }
                _ => return None,
            }
        }
        // git joins `[section.a "b"]` and the old spelling `[section.a]` to one name, and splits that at its first dot.
        match name.split_once('.') {
            Some((section, subsection)) => Some((section.to_owned(), Some(subsection.to_owned()))),
            None => Some((name, None)),
        }
    }

    fn subsection(&mut self) -> Option<String> {
        loop {
            match self.next() {
                b'\n' => return None,
                b'"' => break,
                byte if is_space(byte) => {}
                _ => return None,
            }
        }
        let mut bytes = Vec::new();
        loop {
            match self.next() {
                b'\n' => return None,
                b'"' => break,
                b'\\' => match self.next() {
                    b'\n' => return None,
                    byte => bytes.push(byte),
                },
                byte => bytes.push(byte),
            }
        }
        (self.next() == b']').then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn setting(&mut self, first: u8) -> Option<(String, Option<String>)> {
        let mut name = String::from(first.to_ascii_lowercase() as char);
        let mut byte = self.next();
        while byte.is_ascii_alphanumeric() || byte == b'-' {
            name.push(byte.to_ascii_lowercase() as char);
            byte = self.next();
        }
        while byte == b' ' || byte == b'\t' {
            byte = self.next();
        }
        match byte {
            b'\n' => Some((name, None)),
            b'=' => Some((name, Some(self.value()?))),
            _ => None,
        }
    }

    fn value(&mut self) -> Option<String> {
        let mut bytes: Vec<u8> = Vec::new();
        let mut quoted = false;
        // How long the value is without the spaces at its end.
        let mut length = 0;
        loop {
            let byte = match self.next() {
                b'\n' if quoted => return None,
                b'\n' => break,
                byte if is_space(byte) && !quoted => {
                    if !bytes.is_empty() {
                        bytes.push(byte);
                    }
                    continue;
                }
                b'#' | b';' if !quoted => {
                    while self.next() != b'\n' {}
                    break;
                }
                b'"' => {
                    quoted = !quoted;
                    length = bytes.len();
                    continue;
                }
                b'\\' => match self.next() {
                    // The value goes on in the next line, and the spaces before the backslash are part of it.
                    b'\n' => {
                        length = bytes.len();
                        continue;
                    }
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'n' => b'\n',
                    byte @ (b'\\' | b'"') => byte,
                    _ => return None,
                },
                byte => byte,
            };
            bytes.push(byte);
            length = bytes.len();
        }
        bytes.truncate(length);
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// What git takes for a space: no vertical tab, no form feed.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
