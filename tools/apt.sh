# Packages of the distribution, for the scripts that source this: what these find absent they name in
# `missing`, and `apt_install` brings the packages that have it.
missing=()

# need_programs PROGRAM…: those that are not in PATH are missing.
need_programs() {
  local program
  for program; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
}

can_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null
}

# apt_install PACKAGE…: nothing where nothing is missing; ends the script where it cannot install.
apt_install() {
  [ "${#missing[@]}" -gt 0 ] || return 0
  if ! can_install; then
    echo "missing: ${missing[*]}; install what has it (Debian: $*)" >&2
    exit 2
  fi
  echo "installing $* with apt-get (missing: ${missing[*]})"
  export DEBIAN_FRONTEND=noninteractive
  # One at a time: of two checkouts that are tested at once, one waits for the other.
  (
    flock 9
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"
  ) 9</var/lib/dpkg
}
