#!/usr/bin/env bash
# The page of web/ in headless Chromium with the network off.
#   web_test.sh WRITE_SAMPLES FOLDER PACKAGES
# Exit code 77: skipped, Chromium or playwright-core is not there (an error when STEELYARD_REQUIRE_BROWSER=1).
set -euo pipefail
write_samples=$1
folder=$2
packages=$3
here=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "skipped: $1"
  [ "${STEELYARD_REQUIRE_BROWSER:-0}" != 1 ] || exit 1
  exit 77
}
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || skip "chromium not installed"
[ -d "$packages/node_modules/playwright-core" ] || skip "playwright-core not installed: configure with tests and npm"

rm -rf "$folder"
mkdir -p "$folder"
"$write_samples" "$folder"
node "$here/web_test.mjs" "$packages" "$browser" "$folder"
