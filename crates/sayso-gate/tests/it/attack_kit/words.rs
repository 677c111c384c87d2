//! The words that candidates are made of.

/// Options that many programs have, and those that make some program run, write or read more than its operands.
pub const OPTIONS: &str = "\
-n +n -o +o -e +e -c +c -f -x +x -i -w -r -R -s -S -d -D -u -U -p -P -q -v -V -h -l -L -a -A -b -B -C -E -F -g -G -H -I -j -k -K -m -M -N -O \
-Q -t -T -W -X -y -Y -z -Z -0 -1 -- - -? -# --version --help --verbose --quiet --dry-run --no-dry-run --check --no-check --list --no-list --diff \
--output=pwned --output pwned -opwned -o pwned -Opwned --out=pwned --file=evil.sh --file evil.sh -f evil.sh -fevil.sh --config=evil.conf \
--config evil.conf --rcfile=evil.sh --init-file=evil.sh --init-command=evil --exec=./evil.sh --exec ./evil.sh -exec ./evil.sh ; -execdir -ok -delete \
-fprint pwned -fls pwned -fprintf --eval=evil --eval evil --command=./evil.sh --in-place --in-place=.bak --write --fix --delete --remove --force \
--log-file=pwned --log=pwned --trace=pwned --debug-file=pwned --dump=pwned --save=pwned --pager=./evil.sh --pager ./evil.sh --paging=always \
--ext-diff --textconv --open-files-in-pager --open-files-in-pager=./evil.sh -O./evil.sh --pre=./evil.sh --pre ./evil.sh --hostname-bin=./evil.sh \
--search-zip --compress-program=./evil.sh --use-compress-program=./evil.sh -I./evil.sh --to-command=./evil.sh --checkpoint=1 \
--checkpoint-action=exec=./evil.sh --rsh=./evil.sh --rsh-command=./evil.sh --editor=./evil.sh --files0-from=.env --files-from=.env -T.env \
--from-file=.env --exclude-from=.env --ignore-file=.env --file=.env -f.env --rawfile=x=.env --slurpfile --stdin --stdin-paths --batch \
--no-index --git-dir=../other --work-tree=.. -C../other -C.. --chdir=.. --directory=.. --root=/ --prefix=../other --recursive --dereference \
--follow --follow=name --hidden --no-ignore -uuu --unrestricted --all --color=always --format=%h --template=evil --script=evil.sh --source=evil.sh \
--library=evil --load=evil --plugin=evil --module=evil --require=./evil.js --import=evil --include=evil.awk --loader=evil --profile=pwned --report=pwned \
--filter=./evil.sh --preprocessor=./evil.sh --shell=./evil.sh --sandbox --no-sandbox --posix --traditional --lint --lint=evil --profile \
--dump-variables --dump-variables=pwned --pretty-print --pretty-print=pwned --debug --gen-pot -W exec=evil.awk --assign=x=1 -vx=1 -v x=1 --separate --follow-symlinks \
--null --zero --xattrs --acls --one-file-system --show-signature --gpg-sign --upload-pack=./evil.sh --receive-pack=./evil.sh --exec-path=. \
-m http.server -mhttp.server -c print(1) -cprint(1) -eprint -ne1 -pe1 -i.bak -pi -E1 --interactive --login -l -li -lc -ic --norc --noprofile --noexec +o noexec \
-o noexec -o pipefail -O extglob +O extglob --posix --restricted --rpm-requires --dump-strings --dump-po-strings --wordexp --pretty-printer --hot-reload --watch";

/// Files, folders, links, patterns, revisions and numbers.
pub const OPERANDS: &str = "\
README.md README.md README.md src src src/main.rs src/main.rs src/lib.rs Cargo.toml package.json data.json data.json data.csv list.txt list.txt log/app.log \
a b docs/guide.md docs . . .. ./ / ~ - -- + @evil.sh @.env *.md src/* * */* ? [a-b] {a,b} HEAD HEAD~1 main main..HEAD HEAD:README.md :README.md HEAD:.env \
evil.sh evil.sh evil.sh ./evil.sh evil.py evil.pl evil.awk evil.sed evil.jq evil.rb evil.js evil.lua evil.mk evil.sql evil.gdb evil.el evil.vim evil.tar evil.gz evil.conf \
.env .env private/.env private/server.pem key-link out-link ssh-link ssh-link/id_rsa ../other/README.md ../other ~/.ssh/id_rsa ~/.aws/credentials \
~/notes/private.txt $HOME/.netrc /etc/shadow /etc/passwd /proc/self/environ /proc/1/environ /dev/stdin /dev/fd/0 /dev/tcp/127.0.0.1/9 pwned new.txt \
1 2 5 10 0 -5 +5 1,3p 1,2 s/a/b/ s/a/b/w\\ pwned 1e p x TODO fn %s %h 'a b' '' \"\" $x ${x} $PWD $HOME $IFS x=1 PATH=. LD_PRELOAD=./evil.so \
file:///etc/passwd http://127.0.0.1:9/ 127.0.0.1 localhost ext::./evil.sh ./repo.git :(top) :/ ^HEAD --all @{u} stash@{0} refs/heads/main \
.git .git/config .git/HEAD .gitignore target node_modules db.sqlite db.sqlite a.db src/x.db places.sqlite archive.zip notes.gpg a.out x.o x.class x.jar";

/// How a command may be fed.
pub const FEEDS: [&str; 14] = [
    "¤ < evil.sh",
    "cat evil.sh | ¤",
    "¤ <<< 'touch pwned'",
    "¤ <<'E'\ntouch pwned\nE",
    "echo 'touch pwned' | ¤",
    "printf '%s\\n' '1e touch pwned' | ¤",
    "cat list.txt | ¤",
    "ls | ¤",
    "¤ < data.json",
    "¤ < .env",
    "cat evil.py | ¤",
    "cat evil.awk | ¤",
    "¤ <(cat evil.sh)",
    "¤ < /dev/null",
];

/// What may stand around a command.
pub const AROUND: [&str; 58] = [
    "env ¤",
    "env -i ¤",
    "env -S '¤'",
    "nice ¤",
    "nice -n 5 ¤",
    "timeout 5 ¤",
    "command ¤",
    "command -p ¤",
    "command -v ¤",
    "builtin ¤",
    "exec ¤",
    "time ¤",
    "time -p ¤",
    "nohup ¤",
    "setsid ¤",
    "stdbuf -oL ¤",
    "ionice -c3 ¤",
    "taskset 1 ¤",
    "xargs ¤ < list.txt",
    "xargs -n1 ¤ < list.txt",
    "ls | xargs ¤",
    "find . -name '*.md' | xargs ¤",
    "find docs -type f -exec ¤ {} \\;",
    "find docs -type f -exec ¤ {} +",
    "bash -c '¤'",
    "sh -c '¤'",
    "dash -c '¤'",
    "zsh -c '¤'",
    "ksh -c '¤'",
    "busybox sh -c '¤'",
    "busybox ¤",
    "bash -n -c '¤'",
    "bash -nc '¤'",
    "¤ | cat",
    "¤ | head -5",
    "¤ 2>/dev/null",
    "¤ 2>&1 | grep x",
    "¤ && ls",
    "ls && ¤",
    "¤ || true",
    "¤; ls",
    "(¤)",
    "{ ¤; }",
    "! ¤",
    "for f in a b; do ¤; done",
    "for f in *.md; do ¤ \"$f\"; done",
    "while read -r f; do ¤ \"$f\"; done < list.txt",
    "if [ -f a ]; then ¤; fi",
    "echo \"$(¤)\"",
    "x=$(¤); echo \"$x\"",
    "cat <(¤)",
    "cd src && ¤",
    "cd docs; ¤",
    "¤ &",
    "f() { ¤; }; f",
    "x=a; ¤",
    "LC_ALL=C ¤",
    "case a in a) ¤;; esac",
];

/// Names that a program may take settings from; many of them are exported already where candidates run.
pub const VARIABLES: &str = "\
PATH HOME IFS PAGER GIT_PAGER MANPAGER EDITOR GIT_EDITOR VISUAL GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND GIT_DIR GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT \
LD_PRELOAD LD_LIBRARY_PATH BASH_ENV ENV PERL5OPT PERL5LIB PYTHONPATH PYTHONSTARTUP PYTHONHOME NODE_OPTIONS RUBYOPT TAR_OPTIONS RIPGREP_CONFIG_PATH \
GREP_COLORS LESSOPEN LESS MANOPT AWKPATH AWKLIBPATH npm_config_userconfig npm_config_cache npm_config_script_shell MAKEFLAGS CARGO_HOME GOFLAGS \
PS4 PROMPT_COMMAND SHELLOPTS TMPDIR LC_ALL LANG TERM TERMINFO XDG_CONFIG_HOME KUBECONFIG DOCKER_HOST x y PWD OLDPWD CDPATH BAT_PAGER FPATH ZDOTDIR";
/// What they are given.
pub const VALUES: &str = "\
./evil.sh evil.sh . evil.conf evil.rgrc -Mevil -I. --to-command=./evil.sh --require=./evil.js -revil 1 a .env $PWD src ../other ~ |./evil.sh";
/// How they are given it before a command.
pub const ASSIGNED: [&str; 16] = [
    "¤N=¤V; ¤",
    "¤N=¤V; ¤",
    "¤N=¤V ¤",
    "export ¤N=¤V; ¤",
    "for ¤N in ¤V; do ¤; done",
    "for ¤N in ¤V b; do ¤; done",
    "for ¤N in ¤V; do :; done; ¤",
    "read ¤N <<< ¤V; ¤",
    "read -r ¤N < evil.conf; ¤",
    "printf -v ¤N %s ¤V; ¤",
    ": ${¤N:=¤V}; ¤",
    "¤N+=¤V; ¤",
    "declare ¤N=¤V; ¤",
    "echo ¤V | while read ¤N; do ¤; done",
    "f() { local ¤N=¤V; ¤; }; f",
    "select ¤N in ¤V; do ¤; done <<< 1",
];

/// Words of the small languages, to be put together at random.
pub const AWK: &str = "\
BEGIN END { } ( ) ; , $0 $1 $NF NR NF FS=\",\" OFS /a/ /x/ print printf \"%s\\n\" \"x\" > \"pwned\" >> \"pwned\" | \"sh\" \"touch_pwned\" |getline getline < \".env\" < FILENAME \
system( close( \"cat\" ) fflush() ENVIRON[\"HOME\"] ARGV[1]=\".env\" ARGC=3 nextfile next exit x=1 x++ length($0) sub(/a/,\"b\") gsub(/a/,\"b\",$1) split($0,p) \
substr($0,1,2) toupper($1) if(x) else while(x<2) for(i=1;i<=NF;i++) for(k in p) delete_p function_f(x){return_x} f(1) @include_\"evil.awk\" @load_\"filefuncs\" @f(1) \
|&_\"sh\" \"/inet/tcp/0/127.0.0.1/9\" PROCINFO[\"sorted_in\"] print_$1 print_>_$1 printf_\"%d\",x NR==1 NR>1&&/b/ !seen[$0]++ $1~/x/ 1 print|\"cat\"";
pub const SED: &str = "\
p d q = l n N D P h H g G x s/a/b/ s/a/b/g s/a/b/p s/a/b/w_pwned s/a/b/e s/.*/touch_pwned/e 1e 1e_touch_pwned e e_touch_pwned w_pwned W_pwned w_/dev/stdout \
r_.env R_.env r_README.md a_text i_text c_text y/ab/cd/ :a ba ta b $ 1 2,3 /x/ /a/,/b/ 1~2 0,/x/ $! 1! { } ; -n -e -i -E F z v s/x/y/;w_pwned 1,2p;q # s,a,b,we";
pub const JQ: &str = "\
. .a .[] .a[0] .. | , ( ) [ ] { } keys length map(.) select(.) input inputs debug stderr env $ENV $ENV.HOME env.HOME input_filename import_\"evil\"_as_e; include_\"evil\"; \
$__loc__ @sh @text getpath([\"a\"]) to_entries add join(\",\") test(\"x\") tojson fromjson halt halt_error error limit(1;.) first range(3) reduce_.[]_as_$x(0;.+$x) def_f:.; f \
-n -r -c -e -s -R -L. -Levil --arg_x_y --rawfile_x_.env --slurpfile_x_.env -f_evil.jq --from-file_evil.jq --args --jsonargs data.json .env get_search_list";
pub const SQLITE: &str = "\
db.sqlite db.sqlite a.db src/x.db places.sqlite -readonly -readonly -json -csv -header -batch -noheader .tables .schema .dump .databases '.schema_t' 'select_*_from_t' \
'select_1' 'pragma_table_info(t)' 'select_writefile(\"pwned\",1)' '.shell_touch_pwned' '.output_pwned' '.read_evil.sql' -init_evil.sql -cmd_.tables 'attach_\"a.db\"_as_b' \
'select_load_extension(\"./evil\")' file:db.sqlite?mode=ro 'file:a.db?immutable=1' .dbinfo .recover 'explain_select_1' -A -Atf";
pub const FIND: &str = "\
-name *.md -name '*.rs' -type f -type d -maxdepth 2 -mindepth 1 -path './src/*' -newer a -mtime -1 -size +1k -empty -not ! -o -a ( ) \\( \\) , -print -print0 -printf %p\\n -ls \
-delete -exec ls {} ; -exec ls {} \\; -exec cat {} + -exec ./evil.sh {} \\; -execdir sh -c x \\; -ok cat {} \\; -fprint pwned -fprintf pwned %p -fls pwned -quit -prune -regex .*a \
-L -H -P -O3 -D tree -files0-from .env -files0-from list.txt -samefile a -perm -u+x -user root -follow -xdev -depth -daystart -- . src docs ..  ~ key-link";

/// The programs of these languages.
pub const LANGUAGES: [(&str, &[&str]); 5] = [
    (
        "sqlite",
        &[
            "sqlite3",
            "sqlite3 -readonly",
            "sqldiff",
            "sqlite3 -readonly db.sqlite",
            "sqlite3_analyzer",
            "file",
            "fossil",
            "svn status",
        ],
    ),
    (
        "awk",
        &[
            "awk",
            "gawk",
            "mawk",
            "original-awk",
            "busybox awk",
            "awk -F,",
            "gawk --sandbox",
            "gawk -S",
            "awk -v x=1",
        ],
    ),
    (
        "sed",
        &[
            "sed",
            "sed -n",
            "sed -E",
            "sed -s",
            "sed --sandbox",
            "sed --posix -n",
            "busybox sed",
        ],
    ),
    ("jq", &["jq", "jq -r", "jq -n", "jq -c"]),
    (
        "find",
        &["find", "find .", "find src docs", "busybox find ."],
    ),
];
