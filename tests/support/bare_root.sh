#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs commands in a new, bare Debian 12: `bare_root.sh --help` says how.
set -euo pipefail

project=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
readonly project cannot_be_made=77
readonly state=${CLEARANCE_BARE_ROOT:-/var/tmp/clearance-bare-root}
readonly base=$state/base.tar
kept='' is_worktree='' wants_base=''
declare -A mounts=()
work='' child=''

Usage() {
  cat <<TEXT
usage: tests/support/bare_root.sh [OPTION…] COMMAND…
       tests/support/bare_root.sh --base

Unpacks a new minimal Debian 12, puts this project's last commit in its folder /src, and runs each
COMMAND there: with sh, as root, with an empty environment, without the host name localhost and
pseudo-terminals. Stops at the first that fails and exits with its status. Exits with status
$cannot_be_made if no such root can be made here, and says why.

  --worktree            take the files as they are now, not as they were last committed
  --mount PATH=INSIDE   show the file or folder PATH, read-only, as INSIDE (may be repeated)
  --data                show ../shared/data, where it exists, read-only, as /shared/data
  --keep DIR            make the root in DIR and leave it there. If DIR holds a root already, use it
                        as it is: its files, its packages and its copy of the source
  --base                only print the path of the archive that holds the minimal Debian 12

The archive and the packages that commands install are kept in \$CLEARANCE_BARE_ROOT, by default
/var/tmp/clearance-bare-root. The compiler cache is that of this machine.
TEXT
}

Die() {
  printf 'bare_root.sh: %s\n' "$1" >&2
  exit 2
}

Skip() {
  printf 'SKIPPED: %s\n' "$1"
  exit "$cannot_be_made"
}

Parse() {
  while (($#)); do
    case $1 in
      --worktree) is_worktree=1 ;;
      --data) [[ ! -d $project/../shared/data ]] || mounts[/shared/data]=$(realpath "$project/../shared/data") ;;
      --base) wants_base=1 ;;
      --mount | --keep)
        (($# > 1)) || Die "option $1: an argument is missing"
        if [[ $1 == --keep ]]; then kept=$(realpath -m "$2"); else AddMount "$2"; fi
        shift
        ;;
      --help) Usage && exit ;;
      -*) Die "unknown option $1; see --help" ;;
      *) break ;;
    esac
    shift
  done
  commands=("$@")
  [[ -n $wants_base ]] || ((${#commands[@]})) || Die 'no command given; see --help'
}

# AddMount PATH=INSIDE
AddMount() {
  [[ $1 == *=/* ]] || Die "invalid --mount $1: must be PATH=INSIDE, with INSIDE from the root on"
  [[ -e ${1%%=*} ]] || Die "invalid --mount $1: ${1%%=*} does not exist"
  mounts[${1#*=}]=$(realpath "${1%%=*}")
}

# --- What must be there ------------------------------------------------------------------------

NeedTools() {
  ((EUID == 0)) || Skip 'needs root'
  unshare --mount --pid --fork --uts --ipc true 2>/dev/null || Skip 'needs mount namespaces'
  git rev-parse --verify --quiet HEAD >/dev/null 2>&1 || Skip 'needs a git checkout'
  command -v mmdebstrap >/dev/null && return
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap; } \
    >/dev/null 2>&1 || Skip 'mmdebstrap is not installed (Debian package mmdebstrap)'
}

# Mirror PATTERN DEFAULT: the first address that matches among those which this machine takes packages from.
Mirror() {
  local found
  found=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null |
    awk '/^URIs:/ { print $2 } /^deb / { for (i = 2; i < NF; ++i) if ($i ~ /^http/) print $i }' |
    grep -E "$1" | head -n 1) || true
  echo "${found:-$2}"
}

# How this machine reaches its mirror: proxies, and a clock that may be wrong.
MirrorSettings() { apt-config dump Acquire | grep -E '^Acquire::(Check-|Retries|https?::)' || true; }

MakeBase() {
  [[ ! -s $base ]] || return 0
  local debian security unfinished=$state/unfinished-$$.tar
  debian=$(Mirror '/debian/?$' http://deb.debian.org/debian)
  security=$(Mirror 'security' http://deb.debian.org/debian-security)
  mkdir -p "$state"
  MirrorSettings >"$state/mirror.conf"
  echo "   making a minimal Debian 12 from $debian" >&2
  if ! mmdebstrap --quiet --variant=minbase --aptopt="$state/mirror.conf" bookworm "$unfinished" \
    "deb $debian bookworm main" "deb $debian bookworm-updates main" \
    "deb $security bookworm-security main" >"$state/base.log" 2>&1; then
    rm -f "$unfinished"
    tail -n 5 "$state/base.log" >&2
    Skip "mmdebstrap cannot make a root from $debian"
  fi
  mv "$unfinished" "$base"
}

# --- The root ------------------------------------------------------------------------------------

Export() {
  if [[ -z $is_worktree ]]; then
    git archive HEAD
  else
    git ls-files -z --cached --others --exclude-standard |
      tar --create --null --files-from=- --ignore-failed-read 2>/dev/null
  fi
}

# MakeRoot DIR
MakeRoot() {
  mkdir -p "$1"
  tar --extract --file="$base" --directory="$1"
  mkdir "$1/src"
  Export | tar --extract --directory="$1/src" --no-same-owner
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  # No service is started in it, and a root that is thrown away needs no sync to disk.
  printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
  chmod 755 "$1/usr/sbin/policy-rc.d"
  echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
}

# LinkPackages FROM TO: packages that were downloaded once. apt replaces and removes such files, but never
# writes into one.
LinkPackages() {
  mkdir -p "$2"
  find "$1" -maxdepth 1 -name '*.deb' -print0 |
    xargs -0r cp --archive --link --no-clobber --target-directory="$2" 2>/dev/null ||
    find "$1" -maxdepth 1 -name '*.deb' -print0 |
    xargs -0r cp --archive --no-clobber --target-directory="$2"
}

# The one that this machine's ccache uses, or will once it is installed.
CompilerCache() {
  ccache --get-config cache_dir 2>/dev/null || echo "${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ccache}"
}

# Runs in the namespaces: mounts, then the command. The mounts end with the namespaces and are never
# seen outside, so the root can be removed without reaching through one.
# shellcheck disable=SC2016  # it is expanded there
readonly enter='
set -euo pipefail
root=$1 command=$2
shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --rbind /sys "$root/sys"
while (($#)); do
  if [[ -d $2 ]]; then mkdir -p "$root$3"; else mkdir -p "$root${3%/*}"; touch "$root$3"; fi
  mount --bind "$2" "$root$3"
  [[ $1 == rw ]] || mount -o "remount,bind,$1" "$root$3"
  shift 3
done
cd "$root"
# Not chroot alone: the kernel refuses user namespaces below a root that is not that of the mounts.
pivot_root . .
umount --lazy .
exec chroot . /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -ec "cd /src; $command"
'

# Run ROOT COMMAND: in the background and waited for, so that a signal ends both.
Run() {
  local cache binds=() inside status=0
  cache=$(CompilerCache)
  mkdir -p "$cache"
  binds=(rw "$cache" "/root/.cache/ccache")
  for inside in "${!mounts[@]}"; do binds+=(ro "${mounts[$inside]}" "$inside"); done
  unshare --mount --pid --fork --kill-child --uts --ipc bash -c "$enter" enter "$1" "$2" "${binds[@]}" </dev/null &
  child=$!
  wait "$child" || status=$?
  child=
  return "$status"
}

RunAll() {
  local root=$1 command start status
  for command in "${commands[@]}"; do
    printf '\n== bare Debian 12: %s\n' "$command"
    start=$SECONDS status=0
    Run "$root" "$command" || status=$?
    LinkPackages "$root/var/cache/apt/archives" "$state/packages"
    if ((status)); then
      printf '== FAILED with status %d after %d s: %s\n' "$status" $((SECONDS - start)) "$command"
      return "$status"
    fi
    printf '== ok after %d s: %s\n' $((SECONDS - start)) "$command"
  done
}

Cleanup() {
  if [[ -n $child ]]; then
    kill -KILL "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  [[ -z $work ]] || rm -rf --one-file-system -- "$work"
}
trap Cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

commands=()
Parse "$@"
cd "$project"
NeedTools
MakeBase
if [[ -n $wants_base ]]; then
  echo "$base"
  exit
fi
if [[ -n $kept ]]; then
  root=$kept
else
  work=$(mktemp -d "$state/run.XXXXXX")
  root=$work/root
fi
[[ -d $root/src ]] || MakeRoot "$root"
mkdir -p "$state/packages"
LinkPackages "$state/packages" "$root/var/cache/apt/archives"
RunAll "$root"
