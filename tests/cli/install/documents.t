#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What README.md and the pages of the manual tell to type works: tests/cli/install/documents.py runs it, in short.
. "$(dirname "$0")/../checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
build=$(dirname "$ASSAY")
[ -e "$root/README.md" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
[ -e "$build/plugins/onednn_plugin.so" ] && [ -e "$build/plugins/openblas_plugin.so" ] ||
  { echo "1..0 # SKIP the plugins of OpenBLAS and oneDNN are not built"; exit 0; }

pages() { python3 "$root/tests/cli/install/documents.py" "$build" "$@"; }

# The check itself: pages that are wrong.
rejects() { # DESCRIPTION PATTERN: the page is read from standard input
  cat >page.md
  pages "$folder/page.md" >out 2>err
  [ $? -eq 1 ] && grep -q -e "^not ok .*$2" out
  ok $? "rejected: $1"
}
rejects "a command that fails" "query findings --db none.db" <<'END'
```sh
build/assay query findings --db none.db
```
END
rejects "a command that was to diverge, and does not" "build/assay run" <<'END'
```sh
build/assay run --executor model:pairwise --op stablehlo.add --cases 10   # exits with 1
```
END
rejects "a verb that is gone" "the words of build/assay vets" <<'END'
```sh manual
build/assay vets
```
END
rejects "an option that is gone" "the words of build/assay vet" <<'END'
```sh nightly
build/assay vet --executors x
```
END
rejects "a script that is gone" "harness/quickstarts" <<'END'
```sh manual
./harness/quickstarts
```
END
rejects "other words than it prints" "prints as it says" <<'END'
```console
$ build/assay replay 'stablehlo.add f32[] f32[] -> f32[] : 3f800000 : 3f800000' --executor model:pairwise
model:pairwise: diverges
```
END
rejects "a command that is never run" "in a block that is not run" <<'END'
```sh
build/assay ops
```

    build/assay nothing
END
rejects "a link that leads nowhere" "the link to nowhere.md" <<'END'
```sh
build/assay ops
```
[page](nowhere.md)
END
rejects "no command to begin with" "opens with a command" <<'END'
Words.
END
cat >page.md <<'END'
```sh
build/assay run --executor canary:drop_last_term --op stablehlo.reduce --cases 100000
```
END
pages "$folder/page.md" >out 2>err
ok $? "accepted: a command that finds divergences, made short"

cat >page.md <<'END'
```console
$ build/assay --version | cut -d' ' -f1
another program
$ echo 'and
more'
and
more
```
END
pages --write "$folder/page.md" >out 2>err && grep -q -x 'assay' page.md && ! grep -q 'another' page.md && pages "$folder/page.md" >out 2>err
ok $? "written anew: what a command prints now"

pages "$root/README.md" "$root"/harness/docs/*.md "$root"/harness/docs/*/*.md >told 2>err
grep -e '^ok\|^not ok\|^#' told >points
grep -q '^1\.\.' told
ok $? "the pages were read to their end"
while read -r line; do
  case $line in
    \#*) echo "$line"; continue ;;
    ok*) count=$((count + 1)); echo "ok $count - ${line#ok * - }" ;;
    *) count=$((count + 1)); bad=$((bad + 1)); echo "not ok $count - ${line#not ok * - }" ;;
  esac
done <points
finish
