#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian package: what harness/package/deb makes, unpacked in an empty folder, runs, and a program is built against it.
# tests/nightly/package installs it in a Debian that has nothing else.
. "$(dirname "$0")/../checks.sh"
build=$(dirname "$ASSAY")
root=$(cd "$build/.." && pwd)
[ "$build" = "$root/build" ] && [ -f "$build/share/man/man1/assay.1" ] || { echo "1..0 # SKIP build/ is not built whole"; exit 0; }
for program in dpkg-deb dpkg-shlibdeps file cpack cc pkg-config; do
  command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed"; exit 0; }
done

"$root/harness/package/deb" -x >out 2>err
ok $(($? != 2)) "it tells who types an option how it is used"
ASSAY_SKIP_PACKAGES=1 "$root/harness/package/deb" "$folder/made" >out 2>err
ok $? "a package is made"
package=$(tail -n 1 out)
version=$("$ASSAY" --version | sed -n '1s/^assay \([0-9.]*\).*/\1/p')
[ -n "$version" ] && [ "$(dpkg-deb --field "$package" Version)" = "$version" ]
ok $? "it has the program's version, $version"
dpkg-deb --field "$package" Depends >depends
like depends "libmpfr6" "it depends on what the program is linked with"
dpkg-deb -x "$package" clean
ok $? "it is unpacked"
[ -s clean/usr/share/man/man1/assay.1 ] && [ -s clean/usr/share/doc/assay/copyright ] && [ -s clean/usr/include/assay/assay.h ]
ok $? "manual page, licence and header are there"

ASSAY=$folder/clean/usr/bin/assay
run 0 "its program runs" run --executor model:pairwise --cases 50
run 0 "it finds the ops that are installed with it" show --ops clean/usr/share/assay/ops/silu.op 'nn.silu f32[2] -> f32[2] : 3f80000040000000'
cat >example.c <<'EOF'
#include <assay/assay.h>
#include <stdio.h>
int main(void) { return puts(assay_version()) < 0; }
EOF
export PKG_CONFIG_PATH=$folder/clean/usr/lib/pkgconfig
cc -std=c11 example.c -o example $(pkg-config --cflags --libs assay) && LD_LIBRARY_PATH=$folder/clean/usr/lib ./example >out
ok $? "a program is built against its library"
grep -q -x "$version" out
ok $? "which has the same version"
finish
