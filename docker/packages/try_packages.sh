#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What package_test.sh does in the bare Debian 12, which it changes for good: /previous and /packages hold the
# packages before and after an upgrade.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly config=/etc/clearance/server.conf data=/var/lib/clearance
readonly enabled=/etc/systemd/system/multi-user.target.wants/clearance-server.service
readonly ball='{"sphere": {"radius": 1}}'
# shellcheck source=docker/packages/trial.sh
source docker/packages/trial.sh
service=''
trap '[[ -z $service ]] || kill -KILL "$service"' EXIT

# The command line of the unit, as its user and with no privileges: there is no systemd here.
Start() {
  local unit command
  unit=$(dpkg -L clearance-server | grep '\.service$')
  command=$(sed -n 's/^ExecStart=//p' "$unit")
  # shellcheck disable=SC2086  # it is cut into words as systemd does
  (umask 0077 && exec setpriv --reuid=clearance --regid=clearance --clear-groups --no-new-privs \
    --inh-caps=-all --bounding-set=-all $command) 2>/tmp/service.log &
  service=$!
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    ! clearance health >"$log" 2>&1 || return 0
    kill -0 "$service" 2>/dev/null || break
    sleep 0.2
  done
  cat /tmp/service.log >&2
  Die "the service does not serve: $command"
}

Stop() {
  local status=0
  kill -TERM "$service"
  wait "$service" || status=$?
  service=''
  Expect 'the service ends with status 0 on SIGTERM' test "$status" = 0
}

InstallPrevious() {
  Say 'installing the packages before'
  apt-get update -qq
  Apt install /previous/clearance-server_*.deb /previous/clearance_*.deb
  dpkg-query -W 'clearance*' | sed 's/^/   /'
  Expect 'the user is there' getent passwd clearance
  Expect 'its directory is its own' test "$(stat -c '%U %a' $data)" = 'clearance 700'
  Expect 'the service is enabled' test -L $enabled
  Start
  Expect 'a shape is registered' clearance register ball "$ball"
  Stop
  printf '\nmax_batch_rows = 12345\n' >>$config
}

Upgrade() {
  Say 'upgrading'
  Apt install /packages/*.deb
  dpkg-query -W '*clearance*' | sed 's/^/   /'
  Expect 'a changed setting is still there' grep -qx 'max_batch_rows = 12345' $config
  Start
  ExpectSaid 'and is used' 12345 clearance info
  Expect 'the shape is still there' clearance get ball
}

# Snippet LANGUAGE: the first in the page of the C++ library.
Snippet() { awk -v start="\`\`\`$1" '$0 == start { on = 1; next } /^```/ && on { exit } on' client/cpp/README.md; }

Ask() {
  Say 'asking'
  ExpectSaid 'the command line' SEPARATED clearance distance ball "$ball" --pose-b 3 0 0 0 0 0 1
  cat >/tmp/ask.py <<'TEXT'
import importlib.metadata
import clearance
with clearance.connect("127.0.0.1:50051") as client, client.open_session() as session:
    session.open(0, "ball")
    answer = session.distance(poses_b=clearance.poses.pose([3, 0, 0]), slots_b=[0])
    print("clearance", importlib.metadata.version("clearance"), float(answer.distances))
TEXT
  ExpectSaid 'the Python package' ' 1.0' /usr/bin/python3 /tmp/ask.py
  Apt install g++ cmake ninja-build
  mkdir /tmp/planner
  Snippet cpp >/tmp/planner/planner.cc
  Snippet cmake >/tmp/planner/CMakeLists.txt
  Expect 'a program finds the C++ library' cmake -G Ninja -S /tmp/planner -B /tmp/planner/build
  Expect 'and is built with it' cmake --build /tmp/planner/build
  ExpectSaid 'and asks' PENETRATING /tmp/planner/build/planner
  Stop
}

LookAround() {
  Say 'looking at the unit, completions and manual pages'
  # The unit names its manual page, which verify looks up.
  Apt install systemd man-db zsh
  Expect 'systemd finds no fault with the unit' systemd-analyze verify clearance-server.service
  ExpectSaid 'and what it exposes is little' OK \
    systemd-analyze security --offline=yes --threshold=20 clearance-server.service
  # shellcheck disable=SC2016  # it is expanded there
  ExpectSaid 'bash completes' doctor bash -c '. /usr/share/bash-completion/completions/clearance
    COMP_WORDS=(clearance do) COMP_CWORD=1; _clearance; echo "${COMPREPLY[@]}"'
  # What the completion system of zsh brings is replaced, so that the function can be called alone.
  # shellcheck disable=SC2016
  ExpectSaid 'zsh completes at the first call' 'offers command' zsh -fc 'autoload -U _clearance
    compdef() { }; _describe() { print "offers $*"; }; words=(clearance do) CURRENT=2; _clearance'
  Expect 'fish has its script' test -s /usr/share/fish/vendor_completions.d/clearance.fish
  ExpectSaid 'clearance has a manual page' '.SH "CLEARANCE DISTANCE"' zcat /usr/share/man/man1/clearance.1.gz
  ExpectSaid 'the server has one' '--data_dir' \
    sh -c 'zcat /usr/share/man/man8/clearance-server.8.gz | tr -d "\\\\"'
}

# Everything of the packages' names outside of caches, logs and the source.
Left() {
  find / \( -path /src -o -path /proc -o -path /sys -o -path /dev -o -path /packages -o -path /previous \
    -o -path /root -o -path /tmp -o -path /var/cache -o -path /var/log \) -prune -o -iname '*clearance*' -print
}

Remove() {
  Say 'removing'
  Apt remove clearance-server clearance libclearance-dev python3-clearance
  Expect 'the data is still there' test -s $data/shapes.sqlite
  Expect 'the settings are still there' test -s $config
  Expect 'the program is gone' test ! -e /usr/bin/clearance-server
  Say 'purging'
  Expect 'the settings go' dpkg --purge clearance-server
  Left >"$log"
  [[ ! -s $log ]] || Die 'these files are left'
  echo '   no file is left'
  Expect 'the user is gone' test -z "$(getent passwd clearance)"
}

InstallPrevious
Upgrade
Ask
LookAround
Remove
