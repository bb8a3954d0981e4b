#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# harness/install-packages with stand-ins for dpkg-query, apt-get, sudo and id.
set -u
script=$(cd "$(dirname "$0")/../.." && pwd)/harness/install-packages
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/bin" "$place/system/usr/sbin"
for tool in sh env sed dirname mktemp rm cat tail printf find sort comm tr install ln touch; do
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
# point STATUS DESCRIPTION: a test point that passes if STATUS is 0.
point() {
  number=$((number + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $number - $2"
  else
    failures=$((failures + 1))
    echo "not ok $number - $2"
  fi
}

# check DESCRIPTION STATUS WORDS: runs the script.  WORDS must be in what it says or what apt-get was
# asked; no words: it must be silent and ask nothing.
check() {
  number=$((number + 1))
  : >"$place/asked"
  status=0
  said=$(PATH="$place/bin" ASSAY_SYSTEM_ROOT="$place/system" "$place/install-packages" ${list:-} 2>&1) || status=$?
  seen=$said$(cat "$place/asked")
  case "$status: $seen" in
    "$2: "*"${3:-nothing}"* | "$2: $3") echo "ok $number - $1" ;;
    *)
      failures=$((failures + 1))
      echo "not ok $number - $1"
      echo "# exit status $status; $seen" ;;
  esac
}

echo 1..19
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

# Services.  Of what apt-get brings, nothing is enabled or started; what was there before is untouched.
links=$place/system/etc/systemd/system/multi-user.target.wants
levels=$place/system/etc/rc2.d
mkdir -p "$links" "$levels"
ln -s /lib/systemd/system/old.service "$links/old.service"
ln -s ../init.d/old "$levels/S01old"
stand_in apt-get "case \"\$*\" in
  *install*) ln -s /lib/systemd/system/munge.service $links/munge.service; ln -s ../init.d/munge $levels/S01munge
             $place/system/usr/sbin/policy-rc.d; echo policy \$? >>$place/asked ;;
esac"
stand_in deb-systemd-helper "echo deb-systemd-helper \"\$@\" >>$place/asked; rm $links/\$2"
stand_in update-rc.d "echo update-rc.d \"\$@\" >>$place/asked; rm $levels/S01\$1"
check "a service: by Debian's policy it is not started" 0 "policy 101"
[ ! -e "$place/system/usr/sbin/policy-rc.d" ]
point $? "a service: the policy is gone afterwards"
check "a service: its unit is disabled" 0 "deb-systemd-helper disable munge.service"
check "a service: its script of System V is disabled" 0 "update-rc.d munge disable"
check "a service: says so, once" 0 "Not enabled: munge"
[ "$(ls "$links" "$levels" | tr '\n' ' ')" = "$(printf '%s:\nS01old\n\n%s:\nold.service\n' "$levels" "$links" | tr '\n' ' ')" ]
point $? "a service: what was enabled before still is"
grep -q old "$place/asked"
[ $? -eq 1 ]
point $? "a service: and was not touched"
printf '#!/bin/sh\nexit 104\n' >"$place/system/usr/sbin/policy-rc.d"
chmod +x "$place/system/usr/sbin/policy-rc.d"
check "another policy: is asked" 0 "policy 104"
[ -x "$place/system/usr/sbin/policy-rc.d" ]
point $? "another policy: stays"
list=--missing
check "what is missing: printed, and nothing is done" 0 "beta-dev gamma "
list=
exit $((failures > 0))
