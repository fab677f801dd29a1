#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What package_test.sh does after try_packages.sh in the bare Debian 12: starts systemd there and sees that the
# packages start, restart and stop their service.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# shellcheck source=docker/packages/trial.sh
source docker/packages/trial.sh
readonly group=clearance-trial-$$
boot='' init=''

# Where systemd keeps its control groups: of version 2 alone, or beside those of version 1.
Hierarchies() {
  if [[ -e /sys/fs/cgroup/cgroup.procs ]]; then
    echo /sys/fs/cgroup
  elif [[ -e /sys/fs/cgroup/systemd/cgroup.procs && -e /sys/fs/cgroup/unified/cgroup.procs ]]; then
    printf '%s\n' /sys/fs/cgroup/systemd /sys/fs/cgroup/unified
  fi
}
mapfile -t hierarchies < <(Hierarchies)

Cleanup() {
  if [[ -n $boot ]]; then
    kill -KILL "$boot" 2>/dev/null || true
    wait "$boot" 2>/dev/null || true
  fi
  local hierarchy tries
  for hierarchy in "${hierarchies[@]}"; do
    # A group is busy for a moment after its last process has ended.
    for ((tries = 0; tries < 50; ++tries)); do
      [[ -d $hierarchy/$group ]] || break
      find "$hierarchy/$group" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
    done
  done
}
trap Cleanup EXIT

# Joins a new group in each hierarchy, which is then all of the tree that systemd sees.
JoinGroup() {
  local hierarchy
  ((${#hierarchies[@]})) || return 1
  for hierarchy in "${hierarchies[@]}"; do
    mkdir "$hierarchy/$group" && echo "$BASHPID" >"$hierarchy/$group/cgroup.procs" || return 1
  done
} 2>/dev/null

# Runs in namespaces of its own: systemd with fresh kernel file systems and a network of its own.
# shellcheck disable=SC2016  # it is expanded there
readonly enter='
set -e
mount -t proc proc /proc
is_unified=; [[ ! -e /sys/fs/cgroup/cgroup.procs ]] || is_unified=1
mount -t sysfs sysfs /sys
if [[ -n $is_unified ]]; then
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
else
  mount -t tmpfs tmpfs /sys/fs/cgroup
  mkdir /sys/fs/cgroup/systemd /sys/fs/cgroup/unified
  mount -t cgroup -o none,name=systemd,xattr cgroup /sys/fs/cgroup/systemd
  mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
fi
mount -t tmpfs -o mode=755 tmpfs /dev
mkdir /dev/shm /dev/pts
number() { mknod -m 666 "/dev/$1" c "$2" "$3"; }
number null 1 3; number zero 1 5; number full 1 7; number random 1 8; number urandom 1 9; number tty 5 0
# What is written to the console is thrown away. No link to null: systemd changes the mode.
number console 1 3
mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts
ln -s pts/ptmx /dev/ptmx
mount -t tmpfs -o mode=755 tmpfs /run
exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=multi-user.target
'

# Inside COMMAND…: beside the systemd that was started.
Inside() { nsenter --target "$init" --mount --pid --uts --ipc --net --cgroup "$@"; }

# Await WHAT COMMAND…: for at most a minute.
Await() {
  local what=$1 tries
  shift
  for ((tries = 0; tries < 300; ++tries)); do
    ! "$@" >"$log" 2>&1 || { echo "   $what" && return; }
    kill -0 "$boot" 2>/dev/null || break
    sleep 0.2
  done
  Inside journalctl --no-pager --lines=20 --unit=clearance-server >>"$log" 2>&1 || true
  Die "not so after a minute: $what ($*)"
}

Boot() {
  (JoinGroup && exec unshare --mount --pid --fork --kill-child --uts --ipc --net --cgroup bash -c "$enter") \
    </dev/null >"$log" 2>&1 &
  boot=$!
  local tries
  for ((tries = 0; tries < 50; ++tries)); do
    read -r init 2>/dev/null <"/proc/$boot/task/$boot/children" || true
    [[ -z $init || $(cat "/proc/$init/comm" 2>/dev/null) != systemd ]] || return 0
    kill -0 "$boot" 2>/dev/null || break
    sleep 0.1
  done
  return 1
}

# Refused COMMAND…: that it fails.
Refused() { ! "$@"; }

MainProcess() { Inside systemctl show --property=MainPID --value clearance-server; }

Say 'starting systemd'
Apt install systemd-sysv
rm -f /usr/sbin/policy-rc.d
if ! Boot; then
  echo 'SKIPPED: needs control groups and namespaces to start systemd in'
  exit
fi
Await 'systemd runs' Inside systemctl is-active multi-user.target

Say 'installing the service'
Expect 'the packages are installed' Inside apt-get install -y -qq --no-install-recommends \
  /packages/clearance-server_*.deb /packages/clearance_*.deb
Await 'the service is active' Inside systemctl is-active clearance-server
Await 'and serves' Inside clearance health
Expect 'and stores' Inside clearance register ball '{"sphere": {"radius": 1}}'
before=$(MainProcess)

Say 'installing it again'
Expect 'the packages are installed' Inside apt-get install -y -qq --reinstall /packages/clearance-server_*.deb
Await 'the service serves' Inside clearance health
Expect 'it was restarted' test "$before" != "$(MainProcess)"
Expect 'with its shapes' Inside clearance get ball

# Setting LINE: also restarts the service.
Setting() {
  echo "$1" >>/etc/clearance/server.conf
  Inside systemctl restart clearance-server
}

Say 'listening on a socket'
readonly address=unix:/run/clearance/clearance.sock
readonly ask=(Inside setpriv --reuid=nobody --clear-groups clearance --addr "$address" health)
Setting "listen = $address"
Await 'root reaches it' Inside clearance --addr "$address" health
Expect 'another user does not' Refused "${ask[@]}"
mkdir -p /etc/systemd/system/clearance-server.service.d
printf '[Service]\nUMask=0000\n' >/etc/systemd/system/clearance-server.service.d/socket.conf
Inside systemctl daemon-reload
Setting '# with another mask'
Await 'but does with another mask' "${ask[@]}"

Say 'starting with a store that is damaged'
Inside systemctl stop clearance-server
mv /var/lib/clearance/shapes.sqlite /tmp/shapes.sqlite
echo 'not a database' >/var/lib/clearance/shapes.sqlite
chown clearance: /var/lib/clearance/shapes.sqlite
Inside systemctl start clearance-server
Await 'systemd gives up after some tries' Inside systemctl is-failed clearance-server
ExpectSaid 'the journal says why' shapes.sqlite Inside journalctl --no-pager --unit=clearance-server
mv /tmp/shapes.sqlite /var/lib/clearance/shapes.sqlite
Inside systemctl reset-failed clearance-server
Inside systemctl start clearance-server
Await 'it serves with the store put back' Inside clearance --addr "$address" get ball

Say 'removing it'
Expect 'the packages are removed' Inside apt-get purge -y -qq clearance-server
Expect 'the service is gone' test "$(Inside systemctl show --property=LoadState --value clearance-server)" = not-found
Expect 'its process has ended' Inside sh -c '! grep -lx clearance-serve /proc/[0-9]*/comm'
Expect 'its data is gone' test ! -e /var/lib/clearance
