"""Goal: each rule says what its commands touch, and no more. Method: a table of commands with what
a person reads in them; `?` behind a command: a part of it cannot be told."""

from __future__ import annotations

import pytest

from leaseway.inference.command import read_command
from leaseway.inference.table import RULES

# rule | command | read | written
TABLE = """
redirection | echo x > out | | out
redirection | echo x >> logs/out 2>&1 | | logs/out
redirection | wc -l < in | in |
redirection | make -n &> all.log ? | | all.log
redirection | echo x > /dev/null | |
redirection | echo x > "$F" ? | |
redirection | cd a && echo x > b || true | | a/b
redirection | echo x >&2 | |
cp | cp a b | a | b
cp | cp -r src/. out/ | src | out
cp | cp -t out a b | a b | out
cp | cp "$A" b ? | | b
cp | cp a ? | |
rsync | rsync -a site/ host:/srv | site |
install | install -d out/bin | | out/bin
install | install -m 755 a out/a | a | out/a
mv | mv a b | | a b
ln | ln -s /opt/x link | | link
ln | ln a b | a | b
ln | ln -s ../x/tool | | tool
rm | rm -rf build | | build
rm | rm -- -odd | | -odd
mkdir | mkdir -p a/b c | | a/b c
touch | touch a | | a
touch | touch -r ref a | | a
tee | echo x | tee -a log | | log
chmod | chmod +x run.sh | | run.sh
sed | sed -i s/a/b/ f g | | f g
sed | sed -i.bak -e s/a/b/ f | | f
sed | sed -n 1,2p f | f |
perl | perl -pi -e s/a/b/ f | | f
perl | perl tool.pl ? | tool.pl |
cat | cat a - b | a b |
sort | sort -o out in | in | out
grep | grep -q x f | f |
grep | grep -e x f | f |
grep | grep -rn x | . |
grep | grep x | |
awk | awk -F: '{print $1}' f | f |
find | find . -name '*.o' -delete | . | .
find | find src -type f | src |
find | find a -exec rm {} \\; ? | a |
tar | tar czf out.tgz -C src a | src/a | out.tgz
tar | tar -xf in.tar -C dest | in.tar | dest
tar | tar tf in.tar | in.tar |
unzip | unzip in.zip -d dest | in.zip | dest
zip | zip -r out.zip a b | a b | out.zip
gzip | gzip -9 f | | f
gzip | gzip -c f > f.gz | f | f.gz
curl | curl -fsSLo out https://example.invalid/x | | out
curl | curl -O https://example.invalid/a/x.tgz?y=1 | | x.tgz
curl | curl -s http://localhost:8080/health | port:8080 |
curl | curl -s https://example.invalid/ | |
wget | wget https://example.invalid/x.tgz | | x.tgz
wget | wget -qO- https://example.invalid/x.tgz | |
dd | dd if=a of=b bs=1M | a | b
lcov | lcov -a x.info -o y.info | x.info | y.info
echo | echo rm -rf / | |
git | git status --porcelain | . git:. |
git | git log --oneline | git:. |
git | git commit -m x | | git:.
git | git commit -am x | . | git:.
git | git add a b | a b | git:.
git | git -C sub fetch | | git:sub
git | git checkout main | | . git:.
git | git checkout -b new | | git:.
git | git checkout -- a.txt | | a.txt git:.
git | git reset --hard | | . git:.
git | git reset HEAD a | | git:.
git | git branch | git:. |
git | git branch -d old | | git:.
git | git tag -l | git:. |
git | git tag v1 | | git:.
git | git stash list | git:. |
git | git stash | | . git:.
git | git clone https://example.invalid/a/b.git | | b
git | git clone https://example.invalid/a/b.git c | | c
git | git worktree add ../w main | | ../w git:.
git | git worktree list | git:. |
git | git config --global user.name x | | ~/.gitconfig
git | git config user.name | git:. |
git | git push origin main | | git:.
git | git clean -fdx | | .
git | git --version | |
git | git frobnicate ? | |
git | git -C "$X" fetch ? | |
pip | pip install -r req.txt | req.txt | packages:pip
pip | pip3 install x | | packages:pip
pip | python3.12 -m pip install -e .[dev] | . | packages:pip
pip | .venv/bin/pip install x | .venv/bin/pip | .venv
pip | pip install --target lib x | | lib
pip | pip list | packages:pip |
pip | pip --version | |
uv | uv sync | pyproject.toml | uv.lock .venv
uv | uv sync --frozen | pyproject.toml uv.lock | .venv
uv | uv lock --check | pyproject.toml uv.lock |
uv | uv venv env | | env
uv | uv pip install x | | .venv
uv | uv run rm x | pyproject.toml | uv.lock .venv x
uv | uv pip compile a.in -o a.txt | a.in | a.txt
npm | npm ci | package.json package-lock.json | node_modules
npm | npm install x | | package.json package-lock.json node_modules
npm | npm run build ? | package.json node_modules |
npm | npm install -g x | | packages:npm
npm | npm --prefix web ci | web/package.json web/package-lock.json | web/node_modules
yarn | yarn | package.json | node_modules yarn.lock
yarn | yarn build ? | package.json node_modules |
npx | npx serve -l 4000 dist | dist | port:4000
poetry | poetry install | pyproject.toml | poetry.lock .venv
apt | sudo apt-get install -y x | | packages:apt
apt | apt list --installed | packages:apt |
rustup | rustup target add x | | packages:rustup
make | make -C sub -j4 all ? | | make:sub
make | make -n ? | |
make | make -f other.mk ? | other.mk | make:.
make | make DESTDIR=/tmp/x install ? | | make:. /tmp/x
configure | ./configure --prefix=/x ? | configure | make:.
autoconf | autoconf | configure.ac | configure
cmake | cmake -S . -B out | . | out
cmake | cmake --build out | | out
cmake | cmake -E copy a b | a | b
ctest | ctest --test-dir out ? | out | out/Testing
cargo | cargo build --locked | . | target
cargo | cargo +nightly build | . | target Cargo.lock
cargo | CARGO_TARGET_DIR=/t cargo check --locked | . | /t
cargo | cargo test ? | . | target Cargo.lock
cargo | cargo fmt -- --check | . |
cargo | cargo fmt | | .
cargo | cargo install x | | packages:cargo
cargo | cargo update | Cargo.toml | Cargo.lock
go | go build -o bin/x ./cmd/x | . | bin/x
go | go test ./... ? | . |
go | go mod tidy | | go.mod go.sum
gcc | gcc -c a.c -o b/a.o | a.c | b/a.o
gcc | cc -c src/a.c | src/a.c | a.o
gcc | g++ -O2 a.cc -I inc -lm | a.cc | a.out
gcc | gcc -E a.c | a.c |
ar | ar rcs lib.a a.o b.o | a.o b.o | lib.a
mkdocs | mkdocs serve | mkdocs.yml docs | port:8000
sphinx-build | sphinx-build -b html docs out | docs | out
mvn | mvn package ? | . | target
uvicorn | uvicorn app:main --port 9000 ? | | port:9000
serve | serve | . | port:3000
redis-server | redis-server | | port:6379 dump.rdb
flask | flask run ? | | port:5000
flask | flask routes ? | |
nc | nc -l 9999 | | port:9999
nc | nc example.invalid 9999 | |
php | php -S localhost:8080 -t web | web | port:8080
ssh | ssh -L 5433:db:5432 host ? | | port:5433
python | python -m http.server | . | port:8000
python | python -m http.server 9001 -d www | www | port:9001
python | python manage.py runserver 0:7000 ? | manage.py | port:7000
python | python -c 'print(1)' ? | |
python | python -m venv .venv | | .venv
python | python -m pytest ? | |
node | node build.js ? | build.js |
docker | docker build -t a:1 . | . | docker:image/a:1
docker | docker run -p 80 img | docker:image/img |
docker | docker run -p 8080:80 -v ./a:/a img cmd | docker:image/img | a port:8080
docker | docker run -v data:/a:ro img | docker:image/img | docker:volume/data
docker | docker tag a b | docker:image/a | docker:image/b
docker | docker ps | |
docker | docker compose up -d ? | compose.yaml | docker:compose:.
sudo | sudo -u x rm a | | a
env | env A=b rm a | | a
timeout | timeout -k 5 10 rm a | | a
flock | flock /tmp/l rm a | | /tmp/l a
xargs | ls | xargs -n 1 rm ? | |
sh | sh -c 'rm a; cd b; rm c' | | a b/c
sh | bash script.sh x ? | script.sh |
sh | curl -s https://example.invalid/x | sh ? | |
source | source env.sh ? | env.sh |
eval | eval "rm a" | | a
eval | eval "rm $X" ? | |
trap | trap 'rm lock' EXIT | | lock
"""


def parted(row: str) -> tuple[str, str, bool, set[str], set[str]]:
    """Rule, command, whether a part cannot be told, what is read, what is written."""
    rule, rest = row.split(" | ", 1)
    rest, _, written = rest.rpartition(" |")
    command, _, read = rest.rpartition(" |")
    is_unread = command.endswith(" ?")
    return rule, command.removesuffix(" ?"), is_unread, set(read.split()), set(written.split())


SAMPLES = [parted(row) for row in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("rule", "command", "unread", "read", "written"), SAMPLES)
def test_what_a_command_touches(rule, command, unread, read, written):
    found = read_command(command.replace("\\\\", "\\"))
    assert {each.what for each in found.accesses if not each.writes} == read
    assert {each.what for each in found.accesses if each.writes} == written
    assert bool(found.unread) is unread
    for each in found.accesses:
        assert each.rule
        assert each.text in command


def test_every_kind_of_rule_has_samples():
    shown = {RULES[sample[0]] for sample in SAMPLES if sample[0] in RULES}
    assert {rule.__name__ for rule in RULES.values()} == {rule.__name__ for rule in shown}
