#!/bin/sh
# Runs the store as five processes on loopback, then checks every order of what they recorded.
# With --careful the primary waits for its backups before it answers, and the property holds.
set -eu
cd "$(dirname "$0")/../.."
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
cargo run --quiet --release --package kv-store -- demo "$logs" "$@"
status=0
cargo run --quiet --release -- check "$logs" --props examples/kv-store/kv.props || status=$?
exit "$status"
