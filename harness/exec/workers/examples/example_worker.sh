#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A worker in shell: it answers every reduction with its initial values, which is right if nothing
# is reduced or all else is neutral, and shows the protocol (worker.md) whole.
set -u
printf '%s\n' 'assay-worker 1' 'name example-shell' 'version 1' 'data hex' 'mlir no' ready
while read -r verb id rest; do
  case $verb in
    compile)
      case $rest in
        *' stablehlo.reduce body=add dims='*=*) echo 'unsupported an attribute not known here' ;;
        *' stablehlo.reduce body=add dims='*'[] -> '*'[]') echo 'ok initial value' ;;
        *) echo 'unsupported only sums to one scalar' ;;
      esac ;;
    execute) echo "ok ${rest##* }" ;;
    release) ;;
    *) echo "failed no verb is called $verb" ;;
  esac
done
