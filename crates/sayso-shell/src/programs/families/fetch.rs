//! `curl` and `wget`: what they ask for, what they send, and which files they read and write. All of it asks.

use crate::parse::options::Parsed;
use crate::programs::Program;
use crate::programs::effect_builder::Scene;

pub(in crate::programs) const PROGRAMS: &[Program] = &[
    Program::new(
        &["curl"],
        "-s,--silent -S,--show-error -f,--fail --fail-with-body -L,--location -i,--include,--show-headers -I,--head -v,--verbose -k,--insecure -g,--globoff -G,--get -N,--no-buffer \
         -4,--ipv4 -6,--ipv6 -0,--http1.0 --http1.1 --http2 --http3 --compressed --progress-bar -q,--disable -X,--request= -H,--header= -A,--user-agent= -e,--referer= -u,--user= \
         -m,--max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time= --retry-all-errors --max-redirs= --limit-rate= -r,--range= -w,--write-out= \
         -d,--data= --data-ascii= --data-binary= --data-raw= --data-urlencode= --json= -F,--form= --form-string= -T,--upload-file= -o,--output= --output-dir= -O,--remote-name \
         -J,--remote-header-name -R,--remote-time -C,--continue-at= -c,--cookie-jar=> -b,--cookie= -D,--dump-header= --trace=> --trace-ascii=> --stderr=> -E,--cert=< --key=< --cacert=< \
         --capath=< -K,--config=< --netrc-file=< -n,--netrc -x,--proxy= --resolve= --url= --create-dirs -Z,--parallel --oauth2-bearer= --basic --digest --tlsv1.2 --tlsv1.3 -V,--version --help",
        curl,
    ),
    Program::new(
        &["wget"],
        "-q,--quiet -v,--verbose -n -d,--debug -c,--continue -N,--timestamping -S,--server-response --spider -T,--timeout= -t,--tries= -O,--output-document= -P,--directory-prefix= \
         -o,--output-file=> -a,--append-output=> -i,--input-file=< -r,--recursive -l,--level= -k,--convert-links -p,--page-requisites -m,--mirror -E,--adjust-extension -H,--span-hosts \
         -A,--accept= -R,--reject= -U,--user-agent= --header= --no-check-certificate --no-verbose --show-progress --method= --body-data= --body-file=< --post-data= --post-file=< \
         --user= --password= --load-cookies=< --save-cookies=> --content-disposition -4 -6 --max-redirect= -w,--wait= --limit-rate= -V,--version --help",
        wget,
    ),
];

/// The addresses among the words. Behind an option that is not known a word may be its value.
fn addresses<'p>(parsed: &'p Parsed<'_>) -> Vec<&'p str> {
    let like_one = |word: &&str| {
        parsed.unknown.is_empty()
            || word.contains("://")
            || (word.contains('.') && !word.contains(' '))
    };
    let given = parsed
        .options
        .iter()
        .filter(|option| option.name == "--url")
        .filter_map(|option| option.value);
    // What is attached to an unknown option may be an address, too.
    let attached = parsed
        .unknown
        .iter()
        .filter_map(|word| word.get(word.find("http")?..))
        .filter(|word| word.contains("://"));
    parsed
        .operands
        .iter()
        .copied()
        .filter(like_one)
        .chain(given)
        .chain(attached)
        .collect()
}

fn connect_to(scene: &mut Scene<'_>, addresses: &[&str]) {
    for address in addresses {
        match address.strip_prefix("file://") {
            Some(path) => scene.read(path, false),
            None => scene.connect(address),
        }
    }
    if addresses.is_empty() {
        scene.connect("an address that is not in the command");
    }
}

/// The name that the last part of an address gives a file.
fn remote_name(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or(address);
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    path.split_once('/')
        .map_or("", |(_, rest)| rest.rsplit('/').next().unwrap_or(""))
}

/// A file that an option names, unless it is the program's own input or output.
fn is_file(path: &str) -> bool {
    !path.is_empty() && path != "-" && path != "."
}

fn curl(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if only_tells(parsed) {
        return;
    }
    let addresses = addresses(parsed);
    connect_to(scene, &addresses);
    let folder = parsed
        .value("--output-dir")
        .map_or_else(String::new, |folder| {
            format!("{}/", folder.trim_end_matches('/'))
        });
    let mut sends = false;
    for option in &parsed.options {
        let Some(value) = option.value else { continue };
        match &*option.name {
            "--output" | "--dump-header" if is_file(value) => {
                scene.write(&format!("{folder}{value}"))
            }
            "--data" | "--data-ascii" | "--data-binary" | "--json" => {
                sends = true;
                read_behind(scene, value.strip_prefix('@'));
            }
            "--data-raw" | "--form-string" => sends = true,
            "--data-urlencode" => {
                sends = true;
                read_behind(
                    scene,
                    value
                        .split_once('@')
                        .filter(|(name, _)| !name.contains('='))
                        .map(|(_, path)| path),
                );
            }
            "--form" => {
                sends = true;
                let content = value.split_once('=').map_or("", |(_, content)| content);
                let path = content
                    .strip_prefix(['@', '<'])
                    .map(|path| path.split(';').next().unwrap_or(path));
                read_behind(scene, path);
            }
            "--upload-file" => {
                sends = true;
                read_behind(scene, Some(value));
            }
            "--header" | "--write-out" => read_behind(scene, value.strip_prefix('@')),
            "--cookie" if !value.contains('=') => read_behind(scene, Some(value)),
            _ => {}
        }
    }
    if parsed.has("--remote-name") {
        for address in &addresses {
            scene.write(&format!("{folder}{}", named(remote_name(address))));
        }
    }
    let method = parsed
        .value("--request")
        .unwrap_or(if sends && !parsed.has("--get") {
            "POST"
        } else {
            "GET"
        });
    if parsed.has("--config") {
        scene.unknown("takes further options from a file");
    }
    if parsed.has("--remote-header-name") {
        scene.unknown("writes a file that the other side names");
    }
    tell(scene, method, sends || parsed.has("--netrc"));
}

fn read_behind(scene: &mut Scene<'_>, path: Option<&str>) {
    if let Some(path) = path.filter(|path| is_file(path)) {
        scene.read(path, false);
    }
}

/// A request that only asks for something is covered by a rule for it; what is sent along is not known well enough for that.
fn tell(scene: &mut Scene<'_>, method: &str, sends: bool) {
    if sends || !matches!(method, "GET" | "HEAD" | "OPTIONS") {
        scene.unknown(format!("sends data to another machine ({method})"));
    } else {
        scene.runs(format!("asks another machine for something ({method})"));
    }
}

fn only_tells(parsed: &Parsed<'_>) -> bool {
    parsed.operands.is_empty()
        && parsed.unknown.is_empty()
        && parsed
            .options
            .iter()
            .all(|option| matches!(&*option.name, "--version" | "--help"))
        && !parsed.options.is_empty()
}

fn named(name: &str) -> &str {
    if name.is_empty() { "index.html" } else { name }
}

fn wget(scene: &mut Scene<'_>, parsed: &Parsed<'_>) {
    if only_tells(parsed) {
        return;
    }
    let addresses = addresses(parsed);
    connect_to(scene, &addresses);
    let folder = parsed
        .value("--directory-prefix")
        .map_or_else(String::new, |folder| {
            format!("{}/", folder.trim_end_matches('/'))
        });
    match parsed.value("--output-document") {
        Some(path) if is_file(path) => scene.write(path),
        Some(_) => {}
        None if parsed.keeps_mode("--spider") => {}
        None => addresses
            .iter()
            .for_each(|address| scene.write(&format!("{folder}{}", named(remote_name(address))))),
    }
    if [
        "--recursive",
        "--mirror",
        "--page-requisites",
        "--input-file",
        "--content-disposition",
    ]
    .iter()
    .any(|option| parsed.has(option))
    {
        scene.unknown("writes files that the other side names");
    }
    let sends = ["--post-data", "--post-file", "--body-data", "--body-file"]
        .iter()
        .any(|option| parsed.has(option));
    tell(
        scene,
        parsed
            .value("--method")
            .unwrap_or(if sends { "POST" } else { "GET" }),
        sends,
    );
}
