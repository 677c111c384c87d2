//! The table of programs, row by row: which everyday commands only look, and which forms of the same programs must never pass for them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{is_read_only, paths};
use sayso_core::effect::{EffectKind, Target};
use sayso_shell::analyse;

/// One command a line; all of them only look.
const SILENT: &str = r#"
od -c f
od -A x -t x1z -v f
hexdump -C f
hexdump -n 16 -C f
hd f
xxd f
xxd -l 64 f
xxd -p -c 16 f
xxd -r -p f
strings -n 8 f
strings f
column -t f
column -t -s , f
paste -d , a b
fold -w 80 f
fold -80 f
fmt -w 72 f
expand -t 4 f
unexpand -a f
pr -n f
join -t , a b
look foo f
base64 f
base64 -d f
base64 -w 0 f
base32 f
basenc --base16 f
iconv -f latin1 -t UTF-8 f
iconv -f UTF-8 -t ASCII//TRANSLIT f
iconv -l
shuf f
shuf -n 1 f
shuf -i 1-10
shuf -e a b c
tsort f
factor 12
numfmt --to=iec 123456
sum f
ptx f
nl f
tac f
rev f
zcat f.gz
gzcat f.gz
zgrep -i foo f.gz
zgrep -n -e foo f.gz
bzcat f.bz2
xzcat f.xz
zstdcat f.zst
gzip -l f.gz
gzip -t f.gz
gzip -dc f.gz
gunzip -c f.gz
bzip2 -tv f.bz2
xz -l f.xz
xz -dc f.xz
zstd -l f.zst
zstd -dc f.zst
bat f
bat -n --paging=never f
batcat -p f
bat --style=plain --color=never -r 1:20 f
xmllint --noout f.xml
xmllint --xpath '//a' f.xml
colordiff -u a b
wdiff a b
sdiff a b
diff3 a b c
cmp a b
cmp -s a b
comm -12 a b
dir
vdir -l
eza -la
eza --tree -L 2 src
exa -l --git
fd
fd foo
fdfind -e rs . src
fd -H -t f foo
ag foo src
whereis ls
type ls
type -a ls
which -a python3
hash
command -v git
nm -C f.o
nm -D lib.so
readelf -h f
readelf -d lib.so
objdump -d f.o
size f.o
tar tf a.tar
tar tvf a.tar
tar -tf a.tar
tar -tzf a.tgz
tar tzvf a.tgz dir/x
tar --list --file=a.tar
tar -tvf a.tar
unzip -l a.zip
unzip -v a.zip
unzip -t a.zip
unzip -Z1 a.zip
unzip -p a.zip x.txt
zipinfo a.zip
zipinfo -1 a.zip
7z l a.7z
ar t lib.a
jar tf a.jar
cpio -t
cpio -itv
uname -a
lscpu
lscpu -e
lsblk
lsblk -o NAME,SIZE
lsblk -f
lsusb
lspci -nn
lsmod
lsb_release -a
free -h
vmstat
vmstat 1 2
iostat -x
uptime
w
who
who -b
users
last -n 5
id
id -un
groups
getent passwd root
getent group
hostname
hostnamectl
hostnamectl status
timedatectl
timedatectl status
localectl status
locale
locale -a
ulimit -a
ulimit -n
nproc
arch
tty
stty -a
stty size
getconf _NPROCESSORS_ONLN
dmesg
dmesg -T
journalctl -u ssh -n 50 --no-pager
journalctl -b
journalctl --since today
systemctl status ssh
systemctl status
systemctl list-units --type=service --no-pager
systemctl is-active ssh
systemctl is-enabled ssh
systemctl cat ssh
systemctl --failed
systemctl show -p MainPID ssh
systemctl
ps aux
pgrep -fl node
pgrep node
pidof bash
pstree -p
top -b -n 1
top -l 1
ss -tulpn
ss -s
ss -ltn sport '=' :8080
netstat -tulpn
netstat -an
netstat -rn
lsof -i :8080
lsof -iTCP:3000 -sTCP:LISTEN -n -P
lsof -p 1234
lsof -nP -iTCP -sTCP:LISTEN
ip a
ip addr
ip -br addr show
ip route
ip route get 1.1.1.1
ip link show eth0
ip -4 addr show dev eth0
ifconfig
ifconfig -a
ifconfig eth0
mount
mount -l
mount -t ext4
df -h
df -h /
df -hT .
findmnt
findmnt -T .
swapon --show
sysctl kernel.hostname
sysctl -n hw.ncpu
sysctl -a
nvidia-smi
nvidia-smi -L
printenv PATH
printenv HOME
printenv LC_ALL
date
date -u +%FT%TZ
date -v-1d +%F
date --date=yesterday +%F
cal
cal 2026
cal -3
sleep 1
seq 1 10
yes
true
false
:
pwd
dirs
jobs -l
times
umask
umask -S
alias
exit
exit 1
return 0
break
continue
shift
shift 2
wait
wait 123
wait -n
set -e
set -eu
set -euo pipefail
set -o pipefail
set +e
set -x
set -o errexit -o nounset
read -r line
read -r -p 'name? ' name
read -r -t 5 -n 1 x
read -r a b c
[ -f x ]
[ -d src ]
[ x '=' y ]
[ x '==' y ]
[ x != y ]
[ -n x ]
[ -z x ]
[ ! -f x ]
[ ! x '=' y ]
[ 1 -eq 1 ]
[ 3 -gt 2 ]
[ a -nt b ]
[ a -ef b ]
[ -t 1 ]
[ x ]
[ -v name ]
[ ! x ]
[ -S sock ]
test 2 -le 3
test x
test
shasum -a 256 f
md5 f
md5 -q f
cksum f
b2sum f
sha256sum f g
openssl dgst -sha256 f
openssl version
ssh-keygen -l -f key.pub
ssh-keygen -lf key.pub
python3 --version
python --version
python3.11 -V
node --version
node -v
npm --version
npm -v
go version
go env GOPATH
java -version
java --version
javac -version
gcc --version
clang --version
make --version
cmake --version
docker --version
kubectl version --client
terraform version
aws --version
gh --version
pip --version
pip show requests
gem --version
ruby -v
perl -v
php -v
deno --version
bun --version
psql --version
sqlite3 --version
curl --version
wget --version
ssh -V
openssl version -a
bash --version
tmux -V
tsc --version
eslint --version
ruff --version
mypy --version
dotnet --list-sdks
ls --version
ls --help
grep --version
sort --version
find --version
cat --help
tree --version
rg --version
apt-cache show bash
apt-cache policy bash
apt-cache search json
apt list --installed
dpkg -l
dpkg -l bash
dpkg -L bash
dpkg -s bash
dpkg -S /bin/ls
dpkg-query -W bash
rpm -qa
rpm -q bash
rpm -ql bash
pacman -Q
pacman -Qi bash
apk info
tput cols
clear
whatis ls
apropos json
bc -l
sync
join -a 1 a b
"#;

/// One command a line; none of them only looks.
const ASKS: &str = r#"
od --foo f
hexdump -X f
xxd in out
xxd -r in out
xxd -c out
xxd -n name in
xxd -- in
strings @list
nm --plugin x f
nm @list
objdump -S f
objdump @list
iconv -o out f
iconv -f a -t b --output=out f
iconv -f ./map -t UTF-8 f
iconv -t /etc/shadow f
shuf -o out f
split f
split -l 10 f part-
split --filter=sh f
csplit f 10
sort --files0-from=x
paste -X a
column -q f
fmt -p f
locate passwd
bat --pager x f
bat --paging=always f
bat --diff f
bat cache --build
xmllint --shell f
xmllint --noent f
xmllint --xinclude f
xmllint -o out f
xmllint --output out f
xmllint https://example.com/a.xml
sdiff -o out a b
sdiff --diff-program=x a b
diff3 --diff-program=x a b c
wdiff -a a b
colordiff -l a b
less f
more f
man ls
ldd f
fd -x rm
fd -X vim
fd --exec rm
fd -l
ag --pager x y
zless f.gz
gzip f
gunzip f.gz
gzip -d f.gz
gzip -r .
bzip2 f
bzip2 -V f
bzip2 --version f
gzip --version f
join -a secret f
xmllint file:/etc/passwd
xmllint %2e%2e/x.xml
7z l '*.7z'
apt show ./x.deb
composer --version
pylint --version
xz f
xz -l -d f.xz
xz -t -z f
xz --files=list
bzip2 -t -d f.bz2
zstd f
zstd --rm f
zstd -o out f
zstd -d f.zst
zgrep --foo x f
zgrep -f pats f
tar xf a.tar
tar -xzf a.tgz
tar cf a.tar src
tar -czf a.tgz src
tar -tf a.tar --checkpoint-action=exec=x
tar -tf a.tar --to-command=x
tar -t -I x -f a.tar
tar tf host:a.tar
tar -tf a.tar --use-compress-program=x
tar -tf a.tar --rsh-command=x
tar -tf a.tar -C /
tar txf a.tar
tar tfx a.tar
tar -txf a.tar
tar -T list -tf a.tar
tar -ft a.tar
tar
unzip a.zip
unzip -o a.zip
unzip -q a.zip
unzip -l a.zip -d out
unzip -lT a.zip
unzip -p 'sec*.zip'
zipinfo -M a.zip
zip a.zip f
7z x a.7z
7z a a.7z f
7z l @list
7z l -oout a.7z
ar x lib.a
ar r lib.a f.o
ar t @list
jar xf a.jar
jar tf @list
cpio -i
cpio -o
cpio -p out
cpio -t -F host:file
lspci -Q
lspci -H1
lsusb -D f
lsblk --sysroot x
hostname evil
hostnamectl set-hostname x
hostnamectl hostname x
timedatectl set-time x
timedatectl set-timezone UTC
localectl set-locale x
loginctl terminate-session 1
getent hosts example.com
getent ahosts example.com
getent shadow
last -d
last -f f
who --lookup
ulimit -n 4096
stty raw
stty -echo
dmesg -C
dmesg -c
dmesg --clear
dmesg -n 1
dmesg -H
journalctl --vacuum-size=1M
journalctl --rotate
journalctl --flush
journalctl --cursor-file=x
journalctl -D dir
journalctl --file=f
systemctl restart ssh
systemctl stop ssh
systemctl enable x
systemctl daemon-reload
systemctl edit x
systemctl set-property x y
systemctl -H host status
systemctl show-environment
systemctl show ssh
systemctl show -p Environment -p MainPID ssh
iconv -f ./map -f UTF-8 -t UTF-8 f
read -t 'a[x]' -t 1 x
systemctl show -p Environment ssh
systemctl kill x
systemctl poweroff
top
top -n 1
ss -K
ss -tK dst 1.2.3.4
ss -D out
ss -F f
ss -r
ss dst evil.example
netstat -w 1 -M core
lsof -i @evil.example
lsof -i @evil.example:80
lsof +D /
lsof -D b
ip link set eth0 down
ip addr add 1.2.3.4 dev eth0
ip a s
ip route add default via 1.2.3.4
ip -b file
ip -batch file
ip netns exec x sh
ip link s eth0
ip route get evil.example
ifconfig eth0 down
ifconfig eth0 1.2.3.4
mount /dev/sda1 /mnt
mount -a
mount -o remount /
swapon /dev/sda2
swapon -a
sysctl -w kernel.x=1
sysctl kernel.x=1
sysctl -p
nvidia-smi -r
nvidia-smi -pm 1
nvidia-smi -f out
printenv
printenv PATH SECRET
printenv AWS_SECRET_ACCESS_KEY
printenv GITHUB_TOKEN
date -s tomorrow
date -f f
jobs -x ls
hash -p ./x ls
hash ls
dirs -c
umask 000
alias ls=rm
exit 'a[x]'
return 'a[x]'
shift 'a[x]'
wait -p x
set
set -o
set -a
set -- a b
set -k
set -o posix
set -o history
set -e x
read
read PATH
read 'a[x]'
read -a x
read -u 3 x
read path
read -e x
export
export A=b
unset x
declare x=1
local x=1
readonly x
typeset x
let x=1
mapfile x
readarray x
getopts a x
trap x EXIT
shopt -s extglob
enable -f x y
complete -C x y
compgen -C x
history
fc -l
pushd src
popd
[ -f x
[ x -a y ]
[ x -o y ]
[ -f x -a -v y ]
[ -v 'a[x]' ]
[ 'a[x]' -eq 1 ]
[ 1 -eq x ]
[ -t x ]
[ ( x ) ]
test -v 'a[x]'
test -o errexit
md5sum -c f
sha256sum --check f
shasum -c f
openssl enc -d -in f
openssl dgst -sha256 -out o f
openssl dgst -sign k f
openssl s_client -connect x:1
ssh-keygen
ssh-keygen -f k
ssh-keygen -l
ssh-keygen -R host
ssh-keygen -l -f k -D x
gpg --list-keys
yarn --version
pnpm --version
mvn --version
gradle --version
bazel version
dotnet --version
poetry --version
bundle --version
pytest --version
cargo --version
rustc --version
rustup show
./gradlew --version
python3 --version x
python3 -m pip list
node -p process.version
node --version -e x
npm --version x
go env -w A=b
go version x -exec y
docker version
docker ps
docker images
docker run x
docker exec c ls
docker compose up
podman ps
kubectl get pods
kubectl version
kubectl delete pod x
kubectl apply -f x
helm list
terraform plan
terraform apply
aws s3 ls
gcloud projects list
az version
gh pr list
gh api x
gh pr create
heroku run x
psql -c x
mysql -e x
sqlite3 f x
redis-cli keys x
mongosh x
npm ls
npm install
npm run build
npm test
npm publish
yarn
yarn build
pip install x
pip freeze
pip3 list
gcloud --version
pip list --outdated
uv sync
uv run x
poetry install
poetry run x
conda install x
gem install x
bundle exec x
composer install
apt install x
apt update
apt-get install x
apt-cache -o x=y show z
apt list -o x=y
dpkg -i f.deb
dpkg --root=x -l
dpkg -r x
rpm -i x
rpm --eval x
rpm -e x
dnf install x
yum install x
brew list
brew install x
pacman -S x
pacman -Rns x
apk add x
snap install x
cargo build
cargo test
cargo fmt
cargo metadata
go build
go test
make
make -n
cmake .
ninja
meson setup x
gradle build
mvn test
tox
jest
vitest
rake
just
bazel build x
dotnet build
swift build
tsc
eslint .
prettier --check .
black .
ruff check
mypy .
curl https://example.com
curl -o f https://example.com
wget https://example.com
wget -O - https://example.com
http example.com
ping -c 1 example.com
dig example.com
host example.com
nslookup example.com
nc -l 80
telnet x
ssh host
scp a host:b
rsync a b
sftp host
crontab -l
at now
useradd x
iptables -L
ufw disable
modprobe x
dos2unix f
tput reset
dc
ed f
m4 f
yq . f
tar tf a.tar "$x"
tar tf a.tar $x
tar tf a.tar *
tar tf "$x"
unzip -l a.zip "$x"
unzip -l a.zip *
7z l $x
ar t lib.a "$x"
xxd $x
xxd *
find "$x" -name y
find $x
find * -name y
find . -name $x
printf "$x"
printf $x y
printf "$x" y
cd $x
cd *
[ $x ]
[ -n $x ]
[ -f * ]
[ "$x" y ]
[ ! "$x" y ]
[ "$a" "$b" "$c" ]
[ "$x" -eq 1 ]
[ -v "$x" ]
read "$x"
read $x
exit "$x"
shift $x
set $x
set "$x"
wait $x
openssl dgst -sha256 "$x"
openssl dgst -sha256 d/$x
lsof "$x"
lsof -i "$x"
ss $x
ip addr show $x
ip "$x"
systemctl "$x" ssh
systemctl $x
python3 $x
python3 "$x"
node "$x"
dpkg -l $x
apt-cache show "$x"
go env "$x"
dd bs=$x
printenv "$x"
getent $x
sysctl "$x"
tput "$x"
mount $x
bat $x
sort $x
uniq in $x
"#;

#[test]
fn everyday_commands_that_only_look_are_silent() {
    let loud: Vec<&str> = SILENT.lines().filter(|text| !text.is_empty() && !is_read_only(&analyse(text))).collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

#[test]
fn f_01_to_f_10_other_forms_of_the_same_programs_ask() {
    let outside = |text: &str| {
        let draft = analyse(text);
        draft
            .effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Read && matches!(&effect.target, Target::Path(place) if place.written == "/"))
    };
    let silent: Vec<&str> = ASKS.lines().filter(|text| !text.is_empty() && is_read_only(&analyse(text)) && !outside(text)).collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn what_is_read_and_written_is_listed() {
    for (text, expected) in [
        ("xxd in out", vec!["r in", "w out"]),
        ("xxd -l 8 in", vec!["r in"]),
        ("iconv -o out in", vec!["w out", "r in"]),
        ("shuf -o out in", vec!["w out", "r in"]),
        ("shuf -e a b", vec![]),
        ("look x f", vec!["r f"]),
        ("split -l 5 in part-", vec!["r in", "w part-"]),
        ("zgrep x f.gz", vec!["r f.gz"]),
        ("gzip f", vec!["r f", "w f.gz", "d f"]),
        ("gzip -k f", vec!["r f", "w f.gz"]),
        ("gunzip f.gz", vec!["r f.gz", "w f", "d f.gz"]),
        ("xz -d f.xz", vec!["r f.xz", "w f", "d f.xz"]),
        ("tar tf a.tar", vec!["r a.tar"]),
        ("tar -czf out.tgz src", vec!["w out.tgz", "R src"]),
        ("tar xf a.tar", vec!["r a.tar", "w? ."]),
        ("unzip a.zip", vec!["r a.zip", "r? a.zip.zip", "w? ."]),
        ("fd foo src", vec!["R src"]),
        ("fd foo", vec!["R ."]),
        ("eza -T src", vec!["R src"]),
        ("[ -f x ]", vec!["r x"]),
        ("[ a -nt b ]", vec!["r a", "r b"]),
        ("bat a b", vec!["r a", "r b"]),
        ("openssl dgst -sha256 f", vec!["r f"]),
        ("ssh-keygen -l -f k.pub", vec!["r k.pub"]),
        ("df /mnt/x", vec!["r /mnt/x"]),
        ("curl -o out https://example.com/x", vec!["w out"]),
        ("curl -O https://example.com/a/b.tgz?x=1", vec!["w b.tgz"]),
        ("curl -d @body.json https://example.com/", vec!["r body.json"]),
        ("curl -F file=@pic.png;type=x https://example.com/", vec!["r pic.png"]),
        ("curl -T up.txt https://example.com/", vec!["r up.txt"]),
        ("curl -K conf https://example.com/", vec!["r conf"]),
        ("curl --data-urlencode name@file https://example.com/", vec!["r file"]),
        ("curl -b jar https://example.com/", vec!["r jar"]),
        ("curl file:///etc/passwd", vec!["r /etc/passwd"]),
        ("wget https://example.com/a.tgz", vec!["w a.tgz"]),
        ("wget -O out https://example.com/", vec!["w out"]),
        ("wget -qO- https://example.com/", vec![]),
        ("wget -P dir https://example.com/", vec!["w dir/index.html"]),
        ("wget --post-file=f https://example.com/", vec!["r f", "w index.html"]),
        ("scp a host:b", vec!["R a"]),
        ("scp host:b .", vec!["W ."]),
        ("rsync -a --delete src/ dst/", vec!["R src/", "W dst/", "D dst/"]),
    ] {
        assert_eq!(paths(&analyse(&text.replace(';', "\\;").replace('?', "\\?"))), expected, "{text}");
    }
}

#[test]
fn the_note_says_what_a_subcommand_does() {
    for (text, words) in [
        ("npm install", "npm registry"),
        ("npm run build", "package.json"),
        ("npm publish", "as you"),
        ("pip install x", "PyPI"),
        ("cargo build", "build scripts"),
        ("cargo test", "project's own code"),
        ("docker ps", "docker daemon"),
        ("docker run -it x", "starts a container"),
        ("docker compose ps", "docker daemon"),
        ("kubectl -n prod get pods", "reads the cluster"),
        ("kubectl apply -f x", "changes the cluster"),
        ("terraform apply", "changes the infrastructure"),
        ("gh pr list", "reads from the code host"),
        ("gh pr merge 1", "changes something at the code host"),
        ("tar xf a.tar", "may write anywhere"),
        ("curl https://example.com", "asks another machine"),
        ("curl -d x https://example.com", "POST"),
        ("export A=b", "variables"),
        ("systemctl stop x", "services"),
    ] {
        let draft = analyse(text);
        let notes: Vec<&str> = draft.effects.iter().filter_map(|effect| effect.note.as_deref()).collect();
        assert!(notes.iter().any(|note| note.contains(words)), "{text}: {notes:?}");
    }
}
