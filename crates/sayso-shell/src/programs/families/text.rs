//! Programs that turn text or data into other text: most read their operands and print, a few have one that is written.

use super::builtins::is_number;
use crate::parse::options::Parsed;
use crate::parse::placeholder;
use crate::programs::effect_builder::{PLAIN, Scene};
use crate::programs::{Program, compare, reads, reads_below, says, takes_none};
use sayso_core::analysis::effect::{EffectKind, Manner};

/// Options with a value are only here where GNU, BSD and busybox agree on it: else a path could pass for a value.
pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::new(
        &["od"],
        "-A,--address-radix={o,d,x,n} -t,--format= -N,--read-bytes= -j,--skip-bytes= -v,--output-duplicates -a -b -c -d -f -h -i -l -o -s -x --width=+ --help --version",
        reads,
    ),
    Program::new(
        &["hexdump", "hd"],
        "-b,--one-byte-octal -c,--one-byte-char -C,--canonical -d,--two-bytes-decimal -o,--two-bytes-octal -x,--two-bytes-hex -v,--no-squeezing \
         -n,--length= -s,--skip= -e,--format= -f,--format-file=< --color=+",
        reads,
    ),
    Program::raw(&["xxd"], hex_dump),
    Program::new(
        &["paste"],
        "-d,--delimiters= -s,--serial -z,--zero-terminated --help --version",
        reads,
    ),
    Program::new(
        &["fold"],
        "-b,--bytes -s,--spaces -#,-w,--width= --help --version",
        reads,
    ),
    Program::new(
        &["fmt"],
        "-c,--crown-margin -s,--split-only -u,--uniform-spacing -#,-w,--width= --goal= --prefix= --help --version",
        reads,
    ),
    Program::new(
        &["expand"],
        "-i,--initial -#,-t,--tabs= --help --version",
        reads,
    ),
    Program::new(
        &["unexpand"],
        "-a,--all --first-only -t,--tabs= --help --version",
        reads,
    ),
    Program::new(
        &["pr"],
        "-a,--across -d,--double-space -F,--form-feed -m,--merge -t,--omit-header -T,--omit-pagination -r,--no-file-warnings \
         -#,--columns= -l,--length= -w,--width= -h,--header= -o,--indent= -n,--number-lines~ -e,--expand-tabs~ -i,--output-tabs~ -s,--separator~ --help --version",
        reads,
    ),
    Program::new(
        &["join"],
        "-a={1,2} -e= -i,--ignore-case -j= -o= -t= -v={1,2} -1= -2= --check-order --nocheck-order --header -z,--zero-terminated --help --version",
        reads,
    ),
    Program::new(
        &["look"],
        "-a,--alternative -d,--alphanum -f,--ignore-case -t,--terminate=",
        after_first,
    ),
    Program::new(
        &["column"],
        "-t,--table -s,--separator= -c,--output-width= -x,--fillrows -o,--output-separator= -N,--table-columns= -R,--table-right= \
         -H,--table-hide= -O,--table-order= -T,--table-truncate= -W,--table-wrap= -J,--json -L,--keep-empty-lines --table-name=",
        reads,
    ),
    Program::new(&["col"], "-b -f -h -p -x", takes_none),
    // On macOS `-i` takes the file that is read; elsewhere the file is an operand behind it.
    Program::new(
        &["base64", "base32"],
        "-d,-D,--decode -i,--ignore-garbage -w,--wrap= --help --version",
        reads,
    ),
    Program::new(
        &["basenc"],
        "--base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 -d,--decode -i,--ignore-garbage -w,--wrap= --help --version",
        reads,
    ),
    Program::new(
        &["iconv"],
        "-f,--from-code= -t,--to-code= -c -s,--silent -l,--list -o,--output=> --verbose",
        convert,
    ),
    Program::new(
        &["shuf"],
        "-e,--echo -i,--input-range= -n,--head-count= -o,--output=> -r,--repeat -z,--zero-terminated --random-source=< --help --version",
        shuffle,
    ),
    Program::new(&["tsort"], "--help --version", reads),
    Program::new(&["sum"], "-r -s,--sysv --help --version", reads),
    Program::new(&["factor"], "-h,--exponents --help --version", says),
    Program::new(
        &["numfmt"],
        "--from={none,auto,si,iec,iec-i} --to={none,si,iec,iec-i} --suffix= --format= --field= --header? -d,--delimiter= --padding= \
         --round={up,down,from-zero,towards-zero,nearest} --grouping --invalid={abort,fail,warn,ignore} --from-unit= --to-unit= -z,--zero-terminated --help --version",
        says,
    ),
    Program::new(
        &["ptx"],
        "-A,--auto-reference -f,--ignore-case -r,--references -R,--right-side-refs -w,--width= -i,--ignore-file=< -o,--only-file=<",
        input_and_output,
    ),
    Program::new(
        &["split"],
        "-b,--bytes= -#,-l,--lines= -n,--number= -a,--suffix-length= -d --numeric-suffixes? --hex-suffixes? --additional-suffix= --verbose",
        split,
    ),
    Program::new(
        &["csplit"],
        "-f,--prefix= -n,--digits= -b,--suffix-format= -k,--keep-files -s,--quiet,--silent -z,--elide-empty-files",
        split,
    ),
    Program::new(
        &["sdiff"],
        "-i,--ignore-case -E,--ignore-tab-expansion -Z,--ignore-trailing-space -b,--ignore-space-change -W,--ignore-all-space -B,--ignore-blank-lines \
         --strip-trailing-cr -a,--text -w,--width= -l,--left-column -s,--suppress-common-lines -t,--expand-tabs -d,--minimal -H,--speed-large-files",
        compare,
    ),
    Program::new(
        &["diff3"],
        "-A,--show-all -e,--ed -E,--show-overlap -3,--easy-only -x,--overlap-only -X -i -m,--merge -a,--text --strip-trailing-cr -T,--initial-tab",
        reads,
    ),
    Program::new(
        &["wdiff"],
        "-1,--no-deleted -2,--no-inserted -3,--no-common -i,--ignore-case -n,--avoid-wraps -s,--statistics -w,--start-delete= -x,--end-delete= \
         -y,--start-insert= -z,--end-insert=",
        reads,
    ),
    Program::new(
        &["strings"],
        "-a,--all -f,--print-file-name -#,-n,--bytes= -t,--radix={o,d,x} -o -w,--include-all-whitespace -e,--encoding={s,S,b,l,B,L} --version",
        no_list,
    ),
    Program::new(
        &["nm"],
        "-A,--print-file-name -a,--debug-syms -C,--demangle? -D,--dynamic -g,--extern-only -n,--numeric-sort -p,--no-sort -P,--portability \
         -r,--reverse-sort -S,--print-size -u,--undefined-only --defined-only --size-sort --version",
        no_list,
    ),
    Program::new(
        &["readelf"],
        "-a,--all -h,--file-header -l,--program-headers,--segments -S,--section-headers,--sections -s,--syms,--symbols -d,--dynamic -n,--notes -r,--relocs \
         -V,--version-info -W,--wide -e,--headers -A,--arch-specific -I,--histogram --dyn-syms --version",
        no_list,
    ),
    Program::new(
        &["objdump"],
        "-d,--disassemble -D,--disassemble-all -h,--headers,--section-headers -f,--file-headers -x,--all-headers -p,--private-headers -t,--syms \
         -T,--dynamic-syms -r,--reloc -R,--dynamic-reloc -s,--full-contents -C,--demangle? --no-show-raw-insn --version",
        no_list,
    ),
    Program::new(
        &["addr2line"],
        "-e,--exe=< -a,--addresses -b,--target= -C,--demangle? -f,--functions -i,--inlines -j,--section= -p,--pretty-print -s,--basenames --help --version",
        addresses,
    ),
    Program::new(
        &["cloc"],
        "--by-file --by-file-by-lang --exclude-dir=+ --exclude-ext=+ --exclude-lang=+ --include-ext=+ --include-lang=+ --quiet --csv \
         --json --yaml --xml --md --hide-rate --skip-uniqueness --sum-one --progress-rate=+ --show-lang --show-ext --match-f=+ \
         --not-match-f=+ --match-d=+ --not-match-d=+ --fullpath --help --version -v~",
        lines_of_code,
    ),
    Program::new(
        &["size"],
        "-A -B -d -o -x -t,--totals -G --version",
        no_list,
    ),
    Program::new(
        &["bat", "batcat"],
        "-p,--plain -n,--number -A,--show-all -s,--squeeze-blank -l,--language= --style= --color={auto,never,always} --theme= -r,--line-range= \
         -H,--highlight-line= --paging={never} -P --wrap={auto,never,character} --tabs= --file-name= -L,--list-languages --list-themes -V,--version",
        bat,
    ),
    Program::new(
        &["xmllint"],
        "--noout --format --nonet --html --huge --recover --noblanks --nowarning --quiet --xpath=_ --dropdtd --version",
        markup,
    ),
    Program::new(
        &["bc"],
        "-l,--mathlib -q,--quiet -s,--standard -w,--warn -v,--version",
        reads,
    ),
    Program::new(
        &["dos2unix", "unix2dos", "mac2unix"],
        "-k,--keepdate -q,--quiet -f,--force",
        rewrites,
    ),
    Program::new(
        &["shasum"],
        "-a,--algorithm={1,224,256,384,512} -b,--binary -t,--text -0,--01 --version",
        reads,
    ),
    Program::new(&["md5"], "-q -r -s=", reads),
    Program::new(&["b3sum"], "--no-names --version", reads),
];

/// Everything but the first operand is read.
fn after_first(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for path in parsed.operands.iter().skip(1) {
        scene.read(path, false);
    }
}

/// Whether a word may turn out to be `@file`, which the tools of binutils take for a list of further words, wherever it stands.
pub(in crate::programs) fn may_be_list(word: &str) -> bool {
    word.starts_with([
        '@',
        placeholder::TEXT,
        placeholder::LIST,
        placeholder::STAR,
        placeholder::ANY,
    ])
}

/// Refuses what may be a list of further words.
fn refuse_lists(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let values = parsed.options.iter().filter_map(|option| option.value);
    if parsed
        .operands
        .iter()
        .copied()
        .chain(values)
        .any(may_be_list)
    {
        scene.unlisted(format!("`{}` takes further words from a file", scene.name));
    }
}

/// Only what can be no list of further words.
fn no_list(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    refuse_lists(scene, parsed);
    if parsed
        .value("--bytes")
        .is_some_and(|count| !is_number(count))
    {
        scene.unlisted("this form of `strings` is not known");
    }
    if parsed.operands.is_empty() && matches!(scene.name.as_str(), "nm" | "objdump" | "size") {
        scene.read("a.out", false);
    }
    reads(scene, parsed);
}

/// Its operands are addresses in a program.
fn addresses(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    refuse_lists(scene, parsed);
    if !parsed.has("--exe") {
        scene.read("a.out", false);
    }
}

/// Counts lines below folders. What is no file it takes for a commit if it looks like one, and starts git; archives are unpacked.
fn lines_of_code(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    const PACKED: [&str; 19] = [
        "tar", "gz", "tgz", "bz2", "tbz", "xz", "txz", "zip", "whl", "jar", "war", "ear", "rpm",
        "deb", "7z", "z", "lzo", "zst", "rar",
    ];
    let is_number = |word: &str| {
        word.split(|letter: char| !letter.is_ascii_hexdigit())
            .any(|run| run.len() >= 5)
    };
    let is_packed = |word: &str| {
        let name = word
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        name.split('.')
            .skip(1)
            .any(|ending| PACKED.contains(&ending))
    };
    let may_be_commit =
        |word: &str| word.contains("HEAD") || word.contains("master") || is_number(word);
    if let Some(word) = parsed
        .operands
        .iter()
        .find(|word| !placeholder::is_literal(word) || may_be_commit(word) || is_packed(word))
    {
        scene.unlisted_word(
            word,
            format!(
                "`cloc` takes `{}` for a commit or an archive, and starts other programs",
                scene.shown(word)
            ),
        );
    }
    reads_below(scene, &parsed.operands, true);
}

/// `xxd` has options of several letters behind one dash, and writes its second operand.
fn hex_dump(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let number = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || byte == b'x')
    };
    let mut operands = Vec::new();
    let mut words = parsed.operands.iter().copied();
    while let Some(word) = words.next() {
        // Behind the first file nothing is an option: `xxd a -p` writes a file `-p`.
        if !operands.is_empty() {
            operands.push(word);
            continue;
        }
        let known = match word {
            "-p" | "-ps" | "-plain" | "-i" | "-b" | "-bits" | "-u" | "-e" | "-a" | "-E" | "-r" => {
                true
            }
            "-c" | "-cols" | "-g" | "-l" | "-len" | "-s" | "-seek" | "-o" => {
                words.next().is_some_and(number)
            }
            _ if word.starts_with('-') && word != "-" => {
                let value = ["-c", "-g", "-l", "-s"]
                    .iter()
                    .find_map(|option| word.strip_prefix(option));
                value.is_some_and(|value| {
                    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
                })
            }
            _ => {
                operands.push(word);
                true
            }
        };
        if !known {
            scene.unlisted(format!("`{word}` of `xxd` is not known"));
        }
    }
    // A word that may be two would bring along the file that is written.
    if operands
        .iter()
        .any(|word| placeholder::may_be_several(word))
    {
        scene.unlisted("`xxd` may have a second file, which it writes");
    }
    reads_then_writes(scene, &operands);
}

/// The first operand is read, the others are written.
pub(in crate::programs) fn reads_then_writes(scene: &mut Scene<'_>, operands: &[&str]) {
    let mut operands = operands.iter();
    if let Some(input) = operands.next() {
        scene.read(input, false);
    }
    for output in operands {
        scene.write(output);
    }
}

/// The same, for a program to which an option behind the input may be the output.
pub(in crate::programs) fn input_and_output(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    reads_then_writes(scene, &parsed.operands);
    if let Some(word) = parsed.late.first() {
        scene.unlisted_word(
            word,
            format!(
                "`{word}` behind the input of `{}` may be the file that it writes",
                scene.name
            ),
        );
    }
}

/// A character set with a `/` in its name may be a file.
fn convert(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let odd = |set: &str| {
        let name = ["//TRANSLIT", "//IGNORE"]
            .iter()
            .find_map(|end| set.strip_suffix(end))
            .unwrap_or(set);
        name.contains('/')
    };
    let sets = parsed
        .options
        .iter()
        .filter(|option| option.name.ends_with("-code"))
        .filter_map(|option| option.value);
    if sets.into_iter().any(odd) {
        scene.unlisted("`iconv` takes such a character set from a file");
    }
    reads(scene, parsed);
}

fn shuffle(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if !parsed.has("--echo") {
        reads(scene, parsed);
    }
}

fn split(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    let mut operands = parsed.operands.iter();
    if let Some(input) = operands.next() {
        scene.read(input, false);
    }
    let prefix = if scene.name == "split" {
        operands.next().copied().unwrap_or("x")
    } else {
        parsed.value("--prefix").unwrap_or("xx")
    };
    scene.write(prefix);
    scene.runs(format!("writes files whose names start with `{prefix}`"));
}

/// `bat cache` is no file.
fn bat(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if parsed.operands.contains(&"cache") {
        scene.unlisted("`bat cache` changes bat's own files");
    }
    reads(scene, parsed);
}

/// An address is fetched like a file, and a file may be written like an address (`file:/etc/x`, `%2e`).
fn markup(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for path in &parsed.operands {
        if path.contains([':', '%']) {
            scene.connect(path);
            scene.unknown("what it fetches is not known");
        } else {
            scene.read(path, false);
        }
    }
}

fn rewrites(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for path in &parsed.operands {
        scene.path(EffectKind::Write, path, false, Manner { ..PLAIN });
    }
}
