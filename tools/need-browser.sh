#!/usr/bin/env bash
# Chromium, in which the tests open every kind of page.
set -euo pipefail
. "$(dirname "$0")/apt.sh"
need_programs chromium-headless-shell
apt_install chromium-headless-shell fonts-liberation
