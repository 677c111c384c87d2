//! What the tracer wrote down, as the programs that were started and the paths that were changed.

/// One program that was started.
#[derive(Clone, Debug)]
pub struct Started {
    pub file: String,
    pub argv: Vec<String>,
}

impl Started {
    /// Its plain name.
    pub fn name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or_default()
    }
}

/// What one command did.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The tracer saw the shell start.
    pub began: bool,
    /// It had to be stopped.
    pub late: bool,
    /// The programs besides the shell itself.
    pub started: Vec<Started>,
    /// The paths that were opened for writing, made, changed or removed.
    pub written: Vec<String>,
    /// The files and folders that were opened for reading.
    pub opened: Vec<String>,
    /// Calls that reach further than files.
    pub reached: Vec<String>,
}

/// Flags of an open that may change the file.
const WRITES: [&str; 5] = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"];

/// Reads what the tracer wrote about one command.
pub fn read(log: &str, text: &str, late: bool) -> Trace {
    let mut trace = Trace {
        late,
        ..Trace::default()
    };
    for line in log.lines() {
        let Some((call, rest)) = line.split_once('(') else {
            continue;
        };
        // What failed did nothing.
        let Some((arguments, result)) = rest.rsplit_once(" = ") else {
            continue;
        };
        let arguments = arguments.trim_end().trim_end_matches(')');
        if result.starts_with('-') || result.starts_with('?') {
            continue;
        }
        match call {
            "execve" | "execveat" => {
                let strings = strings(arguments);
                let Some((file, argv)) = strings.split_first() else {
                    continue;
                };
                if is_own(argv, text) {
                    trace.began |= argv.first().is_some_and(|name| name == "bash");
                } else {
                    trace.started.push(Started {
                        file: file.clone(),
                        argv: argv.to_vec(),
                    });
                }
            }
            "open" | "openat" | "openat2" => {
                let after_name = arguments
                    .rsplit_once("\", ")
                    .map_or(arguments, |(_, flags)| flags);
                // The tracer says which file it turned out to be.
                let file = result
                    .split_once('<')
                    .and_then(|(_, file)| file.strip_suffix('>'))
                    .map(unescaped);
                let file = file
                    .or_else(|| strings(arguments).first().cloned())
                    .unwrap_or_default();
                if WRITES.iter().any(|flag| after_name.contains(flag)) {
                    trace.written.push(file);
                } else {
                    trace.opened.push(file);
                }
            }
            "connect" | "mount" => trace.reached.push(line.to_owned()),
            "fchmod" | "fchown" | "fsetxattr" => {
                trace.written.push(
                    arguments
                        .split_once('<')
                        .and_then(|(_, rest)| rest.split_once('>'))
                        .map_or(String::new(), |(file, _)| unescaped(file)),
                );
            }
            _ => {
                // Names may be relative to the folder that the tracer shows before them.
                let folder = arguments
                    .split_once('<')
                    .and_then(|(_, rest)| rest.split_once('>'))
                    .map(|(folder, _)| unescaped(folder));
                for name in strings(arguments) {
                    trace.written.push(match &folder {
                        Some(folder) if !name.starts_with('/') => {
                            sayso_core::paths::join(folder, &name)
                        }
                        _ => name,
                    });
                }
            }
        }
    }
    trace
}

/// Whether it is the sandbox's own start of the shell.
fn is_own(argv: &[String], text: &str) -> bool {
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["timeout", "-s", "KILL", "2", rest @ ..] => {
            matches!(rest, ["bash", "--norc", "--noprofile", "-c", _])
        }
        ["bash", "--norc", "--noprofile", "-c", given] => *given == text,
        _ => false,
    }
}

/// The strings in quotes of a call.
fn strings(arguments: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = arguments;
    while let Some(at) = rest.find('"') {
        let inner = &rest[at + 1..];
        let mut escaped = false;
        let end = inner.char_indices().find(|(_, letter)| {
            let ends = *letter == '"' && !escaped;
            escaped = *letter == '\\' && !escaped;
            ends
        });
        let Some((end, _)) = end else { break };
        out.push(unescaped(&inner[..end]));
        rest = &inner[end + 1..];
    }
    out
}

/// A string as the tracer writes it, as it is.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut letters = text.bytes().peekable();
    while let Some(byte) = letters.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match letters.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'v') => bytes.push(0x0b),
            Some(b'f') => bytes.push(0x0c),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(next) = letters.next_if(|next| (b'0'..=b'7').contains(next)) else {
                        break;
                    };
                    value = value * 8 + u32::from(next - b'0');
                }
                bytes.push(value as u8);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn what_a_tracer_writes_is_read() {
    let log = r#"execve("/usr/bin/timeout", ["timeout", "-s", "KILL", "2", "bash", "--norc", "--noprofile", "-c", "ls \"a\""], 0x1 /* 3 vars */) = 0
execve("/bin/bash", ["bash", "--norc", "--noprofile", "-c", "ls \"a\""], 0x1 /* 3 vars */) = 0
execve("/usr/local/bin/ls", ["ls", "a"], 0x1 /* 3 vars */) = -1 ENOENT (No such file or directory)
execve("/usr/bin/ls", ["ls", "a\n\303\244"], 0x1 /* 3 vars */) = 0
openat(AT_FDCWD</ws>, "x", O_RDONLY) = 3</ws/x>
openat(AT_FDCWD</ws>, "y O_WRONLY", O_RDONLY) = 3</ws/y O_WRONLY>
openat(AT_FDCWD</ws>, "x", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</ws/x>
unlinkat(AT_FDCWD</ws>, "z", 0) = 0
rename("a", "b")                        = 0
mkdir("folder", 0777)                   = -1 EEXIST (File exists)
mkdir("folder", 0777)                   = 0
"#;
    let trace = read(log, "ls \"a\"", false);
    assert!(trace.began);
    assert_eq!(trace.started.len(), 1);
    assert_eq!(
        (trace.started[0].name(), trace.started[0].argv[1].as_str()),
        ("ls", "a\nä")
    );
    assert_eq!(trace.opened, ["/ws/x", "/ws/y O_WRONLY"]);
    assert_eq!(trace.written, ["/ws/x", "/ws/z", "a", "b", "folder"]);
}
