#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package, installed from its wheel: what pytest finds in this folder.
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
build=$(dirname "$ASSAY")
[ -e "$root/pyproject.toml" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
python=$("$root/tests/python/environment" "$build" "$build/python" 2>"$build/python.log")
case $? in
  0) ;;
  4) echo "1..0 # SKIP not installed"; exit 0 ;;
  *) sed 's/^/# /' "$build/python.log"; echo "1..1"; echo "not ok 1 - the wheel is built and installed"; exit 1 ;;
esac
unset PYTHONPATH ASSAY_LIBRARY ASSAY_PROGRAM ASSAY_WORKERS
cd "$root/tests/python" && exec "$python" -m pytest --tap-stream -q -p no:cacheprovider .
