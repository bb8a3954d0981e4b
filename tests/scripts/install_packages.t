#!/bin/sh
# harness/install-packages with stand-ins for dpkg-query, apt-get, sudo and id.
set -u
script=$(cd "$(dirname "$0")/../.." && pwd)/harness/install-packages
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/bin"
for tool in sh env sed dirname mktemp rm cat tail printf; do
  ln -s "$(command -v $tool)" "$place/bin/$tool"
done
cp "$script" "$place/install-packages"
printf '# a comment\nalpha\nbeta-dev   # why\n\ngamma\n' >"$place/packages.txt"

# stand_in NAME BODY: a program of that name.
stand_in() {
  printf '#!/bin/sh\n%s\n' "$2" >"$place/bin/$1"
  chmod +x "$place/bin/$1"
}

number=0
failures=0
# check DESCRIPTION STATUS WORDS: runs the script.  WORDS must be in what it says or what apt-get was
# asked; no words: it must be silent and ask nothing.
check() {
  number=$((number + 1))
  : >"$place/asked"
  status=0
  said=$(PATH="$place/bin" "$place/install-packages" ${list:-} 2>&1) || status=$?
  seen=$said$(cat "$place/asked")
  case "$status: $seen" in
    "$2: "*"${3:-nothing}"* | "$2: $3") echo "ok $number - $1" ;;
    *)
      failures=$((failures + 1))
      echo "not ok $number - $1"
      echo "# exit status $status; $seen" ;;
  esac
}

echo 1..9
check "no dpkg: says what to do" 3 "ASSAY_SKIP_PACKAGES=1"
stand_in dpkg-query 'printf "installed alpha\ninstalled beta-dev\ninstalled gamma\n"'
stand_in apt-get "echo \"\$@\" >>$place/asked; exit 0"
stand_in id 'echo 1000'
check "nothing missing: no word" 0 ""
stand_in dpkg-query 'printf "installed alpha\nnot-installed beta-dev\ninstalled gammaX\n"; exit 1'
check "neither root nor sudo: names what is missing" 3 "have these installed: beta-dev gamma"
stand_in sudo 'touch '"$place"'/sudo-used; exec "$@"'
check "with sudo: installs what is missing" 0 "install --no-install-recommends beta-dev gamma"
check "with sudo: says so" 0 "Installing: beta-dev gamma"
rm "$place/bin/sudo"
stand_in id 'echo 0'
printf 'delta\n' >"$place/other.txt"
list=$place/other.txt
check "another list: installs what that one names" 0 "install --no-install-recommends delta"
list=
check "as root: updates the list first" 0 "update"
stand_in apt-get 'echo "Could not resolve deb.debian.org" >&2; exit 100'
check "archive out of reach: shows why" 3 "Could not resolve deb.debian.org"
check "archive out of reach: says what is needed" 3 "within reach?); still needed: beta-dev gamma"
exit $((failures > 0))
