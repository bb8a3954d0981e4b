#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A worker that promises one dot algorithm, BF16_BF16_F32_X3, and keeps to it badly: it runs almost
# all that it is asked for (products of one f32 by 1), and refuses what it promises when the
# components are counted.
set -u
printf '%s\n' 'assay-worker 1' 'name algorithms' 'version 1' 'data hex' 'mlir no' 'promises yes' ready
while read -r verb id rest; do
  case $verb in
    promises)
      case $rest in
        *' algorithm=[bf16,bf16,f32,1,1,3,false] '* | *' algorithm=[bf16,bf16,f32,2,2,3,false] '*) echo yes ;;
        *' algorithm='*) echo no ;;
        *) echo yes ;;
      esac ;;
    compile)
      case $rest in
        *' algorithm=[bf16,bf16,f32,2,2,'*) echo 'unsupported components that are counted' ;;
        *' algorithm=[tf32,'*) echo 'unsupported no tf32 here' ;;
        *) echo ok ;;
      esac ;;
    execute) echo "ok ${rest%% *}" ;;
    release) ;;
    *) echo "failed no verb is called $verb" ;;
  esac
done
