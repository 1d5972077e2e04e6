#!/usr/bin/env bash
# charts.sh: makes the script that pages draw with, src/latitude/render/html/charts.js, its licences
# and its digest, from plotly.js. Needs node and npm, and the network; what it makes is committed, so
# that building Latitude needs neither.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
place=$here/src/latitude/render/html
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/tools/charts/* "$work"
cd "$work"
npm ci --silent --ignore-scripts --no-audit --no-fund
node build.js "$place/charts.js" "$place/charts-licences.txt"
cd "$place"
sha256sum charts.js charts-licences.txt > charts.sha256
