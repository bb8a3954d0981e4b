#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every source file says its licence, scripts and documents too; harness/spdx finds those that do not, and mends them.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
[ -e "$root/harness/spdx" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
"$root/harness/spdx" >out 2>err
ok $? "every file has it"
cmp -s "$root/LICENSE" /usr/share/common-licenses/Apache-2.0 || [ ! -e /usr/share/common-licenses/Apache-2.0 ]
ok $? "LICENSE is the whole text"

mkdir -p copy/harness copy/tests copy/reports/queries
cp "$root/harness/spdx" copy/harness
echo 'int x;' >copy/harness/a.c
printf '#!/bin/sh\necho one\n' >copy/tests/a.t
printf '%s\nSELECT 1;\n' '-- What it tells.' >copy/reports/queries/a.sql
printf '\001\377' >copy/harness/picture.png
copy/harness/spdx >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <out)" -eq 3 ]
ok $? "files without it are named"
copy/harness/spdx --fix && copy/harness/spdx >out 2>err
ok $? "--fix mends them"
[ "$(head -1 copy/harness/a.c)" = "/* SPDX-License-Identifier: Apache-2.0 */" ] &&
  [ "$(head -1 copy/tests/a.t)" = "#!/bin/sh" ] && [ "$(head -1 copy/reports/queries/a.sql)" = "-- What it tells." ]
ok $? "where it belongs"
cp -r copy again
again/harness/spdx --fix
diff -r copy again >out 2>err
ok $? "--fix twice is --fix once"
finish
