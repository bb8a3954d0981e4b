#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# harness/exec/pjrt/fetch-header: what it does where PyPI is out of reach, and with a file that is not
# what was pinned.  Nothing is downloaded: pip is told of no index.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
fetch=$root/harness/exec/pjrt/fetch-header
[ -x "$fetch" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
real=${XDG_DATA_HOME:-$HOME/.local/share}/assay/pjrt/pjrt_c_api.h
export XDG_DATA_HOME="$folder/data" PIP_NO_INDEX=1 PIP_FIND_LINKS="$folder/none" PIP_CONFIG_FILE=/dev/null
kept=$folder/data/assay/pjrt

fetches() { # STATUS DESCRIPTION [OPTION]
  "$fetch" ${3:+"$3"} >out 2>err </dev/null
  [ $? -eq "$1" ]
  ok $? "$2: exit code $1"
}
fetches 2 "an option that there is not" --force
mkdir -p "$kept"
echo "#define PJRT_API_MAJOR 0" >"$kept/pjrt_c_api.h"
fetches 1 "a header that is not the pinned one, and no registry"
[ ! -e "$kept/pjrt_c_api.h" ]
ok $? "it is gone"
like err 'built without pjrt: executors' "it says what is missing"
fetches 1 "the same day"
is "$(wc -c <err)" 0 "nobody asks again"
fetches 1 "but when told to" --again
like err 'could not be fetched' "it asks again"
if [ -f "$real" ]; then
  cp "$real" "$kept/pjrt_c_api.h"
  fetches 0 "the pinned one"
fi
finish
