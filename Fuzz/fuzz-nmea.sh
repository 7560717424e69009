#!/bin/bash
# Builds the fuzz target and runs it over pieces of the shipped recordings.
#   Fuzz/fuzz-nmea.sh [RUNS]    how many inputs to try, 100000 unless told
set -euo pipefail
cd "$(dirname "$0")"
runs=${1:-100000}
swift build -c release --sanitize=fuzzer --product FuzzNMEA
corpus=.build/corpus-nmea
mkdir -p "$corpus"
for recording in ../Recordings/*.nmea; do
  # Pieces of a few cycles: short inputs are tried faster.
  head -c 60000 "$recording" | split -b 1500 - "$corpus/$(basename "$recording" .nmea)-"
done
# A trap ends the process; the backtrace that Swift would print first takes longer than the run.
SWIFT_BACKTRACE=enable=no .build/release/FuzzNMEA -runs="$runs" -max_len=2048 -timeout=10 -rss_limit_mb=1024 \
  -print_final_stats=1 -artifact_prefix=.build/crash- "$corpus"
