#!/usr/bin/env bash
# Makes the pictures of this folder from the real program on its demo history.
# Needs Go, Node.js with npm, pngquant, and Chromium with the fonts that
# README.md names.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$here/.work}
mkdir -p "$work/raw"

[ -d "$work/node_modules/@xterm/xterm" ] || (
	cd "$work" && npm install --no-audit --no-fund --silent @xterm/xterm@6.0.0 @xterm/addon-unicode-graphemes@0.4.0
)

# The journey writes NAME.COLUMNSxROWS.SCHEME.raw: every byte since the start.
(cd "$here/.." && go test -count=1 -run "^TestPictures$" ./internal/e2e -args -screens="$work/raw")

cd "$work"
for raw in raw/*.raw; do
	IFS=. read -r name size scheme _ <<<"$(basename "$raw")"
	columns=${size%x*} rows=${size#*x}
	node "$here/render.mjs" "$raw" "$name.html" "$columns" "$rows" "$scheme"
	chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --disable-background-networking \
		--no-first-run --user-data-dir="$work/profile" --force-device-scale-factor=2 --virtual-time-budget=3000 \
		--window-size=$((columns * 96 / 10 + 36)),$((rows * 21 + 40)) \
		--screenshot="$here/$name.png" "file://$work/$name.html" 2>/dev/null
	pngquant --force --speed 1 --strip --output "$here/$name.png" 128 "$here/$name.png"
	echo "$name.png"
done
