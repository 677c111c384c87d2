//! Programs that read files and print, sorted by what they do with their operands.

use super::text::input_and_output;
use crate::parse::options::Parsed;
use crate::programs::effect_builder::Scene;
use crate::programs::{Program, compare, reads, reads_below};

/// Options with a value are only here where GNU, BSD and busybox agree on it: else a path could pass for a value.
pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::new(
        &["ls", "dir", "vdir"],
        "-a,--all -A,--almost-all --author -b,--escape --block-size= -B,--ignore-backups -c -C --color? -d,--directory -f --file-type \
         --format={across,commas,horizontal,long,single-column,verbose,vertical} --full-time -F,--classify? -g --group-directories-first -G,--no-group -h,--human-readable --si \
         -H,--dereference-command-line --hide= --hyperlink? --indicator-style={none,slash,file-type,classify} -i,--inode --ignore= -k,--kibibytes -l -L,--dereference \
         -m -n,--numeric-uid-gid -N,--literal -o -p -q,--hide-control-chars --show-control-chars -Q,--quote-name --quoting-style={literal,locale,shell,shell-always,shell-escape,shell-escape-always,c,escape} \
         -r,--reverse -R,--recursive -s,--size -S --sort={none,size,time,version,extension,width,name} -t \
         --time={atime,access,use,ctime,status,birth,creation,mtime,modification} --time-style= --tabsize= -u -U -v --width= -x -X -Z,--context -1 --zero --help --version",
        list,
    ),
    Program::new(
        &["cat"],
        "-A,--show-all -b,--number-nonblank -e -E,--show-ends -n,--number -s,--squeeze-blank -t -T,--show-tabs -u -v,--show-nonprinting --help --version",
        reads,
    ),
    Program::new(
        &["head"],
        "-c,--bytes= -#,-n,--lines= -q,--silent,--quiet -v,--verbose --help --version",
        reads,
    ),
    Program::new(
        &["tail"],
        "-c,--bytes= -#,-n,--lines= -f,--follow? -F --pid= -q,--silent,--quiet -s,--sleep-interval= -v,--verbose --retry --help --version",
        reads,
    ),
    Program::new(
        &["wc"],
        "-c,--bytes -m,--chars -l,--lines -w,--words -L,--max-line-length --total={auto,always,only,never} --help --version",
        reads,
    ),
    Program::new(
        &["nl"],
        "-b,--body-numbering= -d,--section-delimiter= -f,--footer-numbering= -h,--header-numbering= -i,--line-increment= -l,--join-blank-lines= -n,--number-format= -p,--no-renumber -s,--number-separator= -v,--starting-line-number= -w,--number-width= --help --version",
        reads,
    ),
    Program::new(
        &["tac"],
        "-b,--before -r,--regex -s,--separator= --help --version",
        reads,
    ),
    Program::new(&["rev"], "-V,--version", reads),
    Program::new(
        &["cut"],
        "-b,--bytes= -c,--characters= -d,--delimiter= -f,--fields= -s,--only-delimited -n --complement --output-delimiter= -z,--zero-terminated --help --version",
        reads,
    ),
    Program::new(
        &["cmp"],
        "-b,--print-bytes -l,--verbose -s,--silent,--quiet -n,--bytes= --help --version",
        reads,
    ),
    Program::new(
        &["comm"],
        "-1 -2 -3 --check-order --nocheck-order --output-delimiter= --total -z,--zero-terminated --help --version",
        reads,
    ),
    Program::new(
        &["diff"],
        "-u -U= --unified? -c -C= --context? -r,--recursive -N,--new-file -q,--brief -s,--report-identical-files -w,--ignore-all-space \
         -b,--ignore-space-change -B,--ignore-blank-lines -i,--ignore-case -y,--side-by-side -W,--width= --color? -a,--text -e,--ed -n,--rcs \
         -p,--show-c-function -t,--expand-tabs -T,--initial-tab -x,--exclude= -X,--exclude-from=< -I,--ignore-matching-lines= -L,--label= -F,--show-function-line= --strip-trailing-cr --normal \
         --suppress-common-lines -E,--ignore-tab-expansion -Z,--ignore-trailing-space -d,--minimal --no-dereference --from-file=< --to-file=< --help --version",
        compare,
    ),
    Program::new(
        &[
            "md5sum",
            "sha1sum",
            "sha224sum",
            "sha256sum",
            "sha384sum",
            "sha512sum",
            "b2sum",
        ],
        "-b,--binary -t,--text --tag -z,--zero --help --version",
        reads,
    ),
    Program::new(
        &["cksum"],
        "-a,--algorithm= --tag -z,--zero --help --version",
        reads,
    ),
    Program::new(
        &["stat"],
        "-c,--format= --printf= -L,--dereference -f,--file-system~ -t,--terse --help --version",
        reads,
    ),
    Program::new(
        &["file"],
        "-b,--brief -i,--mime --mime-type --mime-encoding -L,--dereference -h,--no-dereference -k,--keep-going -N,--no-pad --help --version",
        reads,
    ),
    Program::new(
        &["realpath"],
        "-e,--canonicalize-existing -m,--canonicalize-missing -L,--logical -P,--physical -q,--quiet -s,--strip,--no-symlinks -z,--zero --relative-to=< --relative-base=< --help --version",
        reads,
    ),
    Program::new(
        &["readlink"],
        "-f,--canonicalize -e,--canonicalize-existing -m,--canonicalize-missing -n,--no-newline -q,--quiet -s,--silent -v,--verbose -z,--zero --help --version",
        reads,
    ),
    Program::new(
        &["df"],
        "-a,--all -h,--human-readable -H,--si -i,--inodes -k -l,--local -P,--portability -T,--print-type --total -m --output? --help --version",
        disk_free,
    ),
    Program::new(
        &["du"],
        "-a,--all --apparent-size -b,--bytes -c,--total -d,--max-depth= -D,--dereference-args -h,--human-readable -H -k -L,--dereference -m \
         -l,--count-links -P,--no-dereference -S,--separate-dirs --si -s,--summarize --time? -x,--one-file-system --exclude= -0,--null --help --version",
        disk_usage,
    ),
    Program::new(
        &["exa", "eza"],
        "-1,--oneline -l,--long -G,--grid -x,--across -R,--recurse -T,--tree -F,--classify? -a,--all -d,--list-dirs,--treat-dirs-as-files -L,--level= -r,--reverse \
         -s,--sort= -D,--only-dirs -f,--only-files -I,--ignore-glob= --git-ignore --group-directories-first -b,--binary -B,--bytes -g,--group -h,--header -H,--links \
         -i,--inode -m,--modified -S,--blocks -t,--time= -u,--accessed -U,--created --no-permissions --no-filesize --no-user --no-time --icons? --color? --git -v,--version",
        list_tree,
    ),
    Program::new(
        &["tree"],
        "-a -d -l -f -x -L=_ -P=_ -I=_ --noreport --filelimit=+ --dirsfirst -q -N -Q -p -u -g -s -h --si -D -F --inodes -v -t -c -U -r -i -A -S -n -C -J -X --gitignore --prune --du --matchdirs --ignore-case --help --version",
        walk,
    ),
    Program::new(
        &["sort"],
        "-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort -i,--ignore-nonprinting -M,--month-sort \
         -h,--human-numeric-sort -n,--numeric-sort -R,--random-sort -r,--reverse -V,--version-sort -c,--check? -C -k,--key= -m,--merge \
         -o,--output=> -s,--stable -S,--buffer-size= -t,--field-separator= -u,--unique -z,--zero-terminated \
         --sort={general-numeric,human-numeric,month,numeric,random,version} --parallel= --debug --help --version",
        reads,
    ),
    Program::new(
        &["uniq"],
        "-c,--count -d,--repeated -D --all-repeated? -f,--skip-fields= --group? -i,--ignore-case -s,--skip-chars= -u,--unique -z,--zero-terminated -w,--check-chars= --help --version",
        input_and_output,
    ),
];

fn list(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    reads_below(scene, &parsed.operands, parsed.has("--recursive"));
}

/// How full a disk is shows nothing of what is on it.
fn disk_free(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    for path in parsed.operands.iter().filter(|path| {
        !matches!(
            **path,
            "/" | "/home" | "/tmp" | "/var" | "/usr" | "/boot" | "/opt"
        )
    }) {
        scene.read(path, false);
    }
}

fn disk_usage(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    reads_below(scene, &parsed.operands, true);
}

fn list_tree(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    reads_below(
        scene,
        &parsed.operands,
        parsed.has("--recurse") || parsed.has("--tree"),
    );
}

fn walk(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    reads_below(scene, &parsed.operands, true);
}
