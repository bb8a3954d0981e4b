#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Many writers on one database, killed at random moments; writers.py says how, and takes more rounds by
# hand: tests/cli/database/writers.py 200.
exec python3 "$(dirname "$0")/writers.py" 2
