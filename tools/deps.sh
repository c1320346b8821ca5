# Installs missing Debian packages, for ./dev. It only ever adds: nothing is removed, no Docker and no driver replaced.
# Sourced; uses say and die.

# What must not change under a user's feet, even as a dependency: engines, drivers, kernels.
AF_UNTOUCHABLE='^(docker|containerd|runc|nvidia|libnvidia|cuda|linux-image|linux-headers|linux-modules)'

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
has_candidate() { [[ $(apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [^\(] ]]; }

# Prints the missing packages of the groups: one line each, alternatives apart by '|'.
missing_packages() {
  local group="" line spec word alternative wanted=" $* "
  while IFS= read -r line; do
    line=${line%%#*}
    read -r spec word <<<"$line" || true
    case $spec in
      "") continue ;;
      \[*) group=${spec//[\[\]]/}; continue ;;
    esac
    [[ $wanted == *" $group "* ]] || continue
    if [[ $word == unless=* ]] && command -v "${word#unless=}" >/dev/null; then continue; fi
    for alternative in ${spec//|/ }; do
      if is_installed "$alternative"; then continue 2; fi
    done
    printf '%s\n' "$spec"
  done <tools/packages.txt | awk '!seen[$0]++'
}

# Takes, of each line on standard input, the first alternative that the distribution has.
choose_candidates() {
  local spec alternative
  while IFS= read -r spec; do
    for alternative in ${spec//|/ }; do
      if has_candidate "$alternative"; then
        printf '%s\n' "$alternative"
        continue 2
      fi
    done
    printf '!%s\n' "$spec"
  done
}

# Prints why those packages must not be installed: getting them would take something away or change an untouchable.
refusal() {
  local plan
  plan=$(LC_ALL=C apt-get install -s --no-remove --no-install-recommends "$@" 2>&1) || {
    grep -m1 -E '^E: |Depends: |Conflicts: ' <<<"$plan" || echo "apt-get found no way"
    return 0
  }
  awk -v bad="$AF_UNTOUCHABLE" '
    $1 == "Remv" { print "it would remove " $2; exit }
    $1 == "Inst" && $3 ~ /^\[/ && $2 ~ bad { print "it would replace " $2; exit }' <<<"$plan"
}

# Read within the last hour: what they do not know, the distribution does not have.
lists_are_fresh() { [[ -n $(find "${AF_APT_LISTS:-/var/lib/apt/lists}" -maxdepth 1 -name '*Packages*' -cmin -60 -print -quit 2>/dev/null) ]]; }

apt_update() {
  say "reading the package lists anew (apt-get update)"
  apt-get update -q >/dev/null || die "apt-get update failed; is the network there?"
}

# install_packages GROUP...: what is missing of those groups.
install_packages() {
  local -a specs chosen=() kept=()
  local package why
  mapfile -t specs < <(missing_packages "$@")
  [[ ${#specs[@]} -gt 0 ]] || return 0
  command -v apt-get >/dev/null || die "missing: ${specs[*]}; this system has no apt-get, install them by hand"
  if [[ -n ${AF_DRY_RUN:-} ]]; then
    say "would install: ${specs[*]}"
    return 0
  fi
  [[ $EUID -eq 0 ]] || die "missing packages, run 'sudo ./dev deps' once: ${specs[*]}"

  mapfile -t chosen < <(printf '%s\n' "${specs[@]}" | choose_candidates)
  if [[ " ${chosen[*]}" == *" !"* ]] && ! lists_are_fresh; then  # unknown to apt: its lists may be empty or old
    apt_update
    mapfile -t chosen < <(printf '%s\n' "${specs[@]}" | choose_candidates)
  fi
  for package in "${chosen[@]}"; do
    if [[ $package == !* ]]; then
      say "this distribution has no ${package#!}: left out"
      continue
    fi
    why=$(refusal "$package")
    if [[ -n $why ]]; then
      say "not installing $package: $why"
      continue
    fi
    kept+=("$package")
  done
  [[ ${#kept[@]} -gt 0 ]] || return 0
  why=$(refusal "${kept[@]}")
  [[ -z $why ]] || die "not installing ${kept[*]} together: $why"
  say "installing ${kept[*]}"
  apt_install "${kept[@]}" && return 0
  apt_update  # the lists were too old for what the mirror still has
  apt_install "${kept[@]}" || die "apt-get install failed; the lines above say why"
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-remove --no-install-recommends \
    -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@" >&2
}
