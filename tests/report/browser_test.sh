#!/usr/bin/env bash
# Opens reports in headless Chromium, without a network, and looks at what the pages say about themselves.
#   browser_test.sh WRITE_SAMPLES FOLDER
# Exit code 77: skipped, Chromium is not installed (an error when STEELYARD_REQUIRE_BROWSER=1).
set -euo pipefail
write_samples=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
  echo "skipped: chromium not installed"
  [ "${STEELYARD_REQUIRE_BROWSER:-0}" != 1 ] || exit 1
  exit 77
fi

rm -rf "$folder"
mkdir -p "$folder/profile"
"$write_samples" "$folder"

# The proxy leads nowhere: a request to the network would be an error in the page.
chromium() {
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$folder/profile" \
    --no-first-run --proxy-server=127.0.0.1:9 --virtual-time-budget=3000 "$@" 2>>"$folder/browser.log"
}

failed=0
fail() { echo "FAILED $1"; failed=1; }
expect() { grep -q -- "$2" "$1" || fail "$(basename "$1"): '$2' not found"; }
refuse() { if grep -q -- "$2" "$1"; then fail "$(basename "$1"): $(grep -o -- "$2[^ ]* [^>]\{0,200\}" "$1" | head -1)"; fi; }

for name in usable good bad hostile; do
  dom=$folder/$name.dom
  chromium --window-size=1280,900 --dump-dom "file://$folder/$name.html#selftest" >"$dom"
  refuse "$dom" 'data-error='
  refuse "$dom" 'data-hacked='
  expect "$dom" 'data-selftest="done"'
  for id in verdict figures findings curves joints validation base drives provenance; do expect "$dom" "id=\"$id\""; done
  inks=$(grep -o 'data-ink="[0-9]*"' "$dom" | grep -o '[0-9]*' || true)
  [ "$(echo "$inks" | wc -w)" = 7 ] || fail "$name: $(echo "$inks" | wc -w) canvases were drawn instead of 7"
  # Seven curves over a width of 500 pixels: far more than the axes alone, far less than everything.
  for ink in $inks; do [ "$ink" -gt 8000 ] && [ "$ink" -lt 130000 ] || fail "$name: a canvas with $ink coloured pixels"; done
done

# The policy of the page lets no other script run, so this copy goes without it.
sed -e '/http-equiv="Content-Security-Policy"/d' "$folder/usable.html" >"$folder/interact.html"
{ echo "<script>"; cat "$here/interact.js"; echo "</script>"; } >>"$folder/interact.html"
chromium --window-size=1280,900 --dump-dom "file://$folder/interact.html" >"$folder/interact.dom"
refuse "$folder/interact.dom" 'data-error='
expect "$folder/interact.dom" 'data-interaction="passed"'
grep -o 'data-interaction="[^"]*"' "$folder/interact.dom" || true

# The policy itself: the same script in the untouched page must be stopped.
{ cat "$folder/usable.html"; echo "<script>document.documentElement.dataset.hacked=1</script>"; } >"$folder/policy.html"
chromium --dump-dom "file://$folder/policy.html" >"$folder/policy.dom"
refuse "$folder/policy.dom" 'data-hacked='
expect "$folder/policy.dom" 'data-error="blocked'

# Pictures to look at: light, dark, at 200 % on a small window, and printed from a dark screen.
picture() {
  name=$1 && shift
  chromium --screenshot="$folder/$name.png" "$@"
  [ -s "$folder/$name.png" ] || fail "$name: no picture"
}
picture light --window-size=1280,4600 "file://$folder/usable.html"
picture dark --window-size=1280,4600 --blink-settings=preferredColorScheme=0 "file://$folder/bad.html"
picture zoomed --window-size=640,1000 --force-device-scale-factor=2 "file://$folder/good.html"
chromium --blink-settings=preferredColorScheme=0 --print-to-pdf="$folder/printed.pdf" "file://$folder/usable.html"
[ -s "$folder/printed.pdf" ] || fail "nothing was printed"
exit $failed
