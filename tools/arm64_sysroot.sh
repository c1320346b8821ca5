# Fetches the arm64 libraries that the programs link into build/arm64-sysroot, without adding a foreign architecture to
# the machine: apt works on lists and caches of its own below build/. Sourced by ./dev; uses say and die.

AF_SYSROOT=build/arm64-sysroot
AF_SYSROOT_PACKAGES="libre2-dev libzstd-dev liblz4-dev liblzma-dev"

arm64_sysroot() {
  local state=$PWD/build/arm64-apt stamp=$AF_SYSROOT/.packages sources
  [[ $(cat "$stamp" 2>/dev/null) != "$AF_SYSROOT_PACKAGES" ]] || return 0
  say "fetching arm64 libraries into $AF_SYSROOT (nothing is installed)"
  rm -rf "$AF_SYSROOT" "$state"
  mkdir -p "$AF_SYSROOT" "$state"/{lists/partial,cache/archives/partial,debs}
  touch "$state/status"
  local options=(-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$state/lists"
    -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root)
  # shellcheck disable=SC1091
  if [[ $(. /etc/os-release && echo "$ID") == ubuntu ]]; then
    # Ubuntu keeps arm64 on a mirror of its own.
    sources=$state/sources.list
    # shellcheck disable=SC1091
    local name; name=$(. /etc/os-release && echo "$VERSION_CODENAME")
    printf 'deb http://ports.ubuntu.com/ubuntu-ports %s main universe\n' "$name" "$name-updates" >"$sources"
    options+=(-o Dir::Etc::sourcelist="$sources" -o Dir::Etc::sourceparts=-)
  fi
  apt-get -q "${options[@]}" update >"$state/log" 2>&1 || die "the arm64 package lists cannot be read: $(tail -1 "$state/log")"
  local packages=() package
  for package in $AF_SYSROOT_PACKAGES; do packages+=("$package:arm64"); done
  (cd "$state/debs" && apt-get -q "${options[@]}" download "${packages[@]}") >"$state/log" 2>&1 ||
    die "arm64 packages cannot be fetched: $(grep -m1 '^E:' "$state/log" || tail -1 "$state/log")"
  for package in "$state"/debs/*.deb; do dpkg-deb -x "$package" "$AF_SYSROOT"; done
  rm -rf "$state"
  printf '%s' "$AF_SYSROOT_PACKAGES" >"$stamp"
}
