#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# compose_test.sh single|fleet|ports: starts what compose.yaml or compose.fleet.yaml of this folder
# describes, with podman-compose and the image that build.sh has built, and harms the fleet. `ports`
# only checks that the ports that both publish are free. Needs root (`./dev docker` sees to the rest).
# In the place of the images of etcd, haproxy and Prometheus stand Debian's packages; of Grafana
# there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck source=docker/containers.sh
source docker/containers.sh
RequireFreePorts 50051 9090 9464  # those that the compose files publish
[[ ${1:-} != ports ]] || exit 0
Require buildah openssl podman podman-compose runc
readonly cli=$PWD/build/release/client/clearance
scratch=$(mktemp -d)
project=

Cleanup() {
  [[ -z $project ]] || Compose down -v -t 1 >/dev/null 2>&1 || true
  rm -rf -- "$scratch"
}
trap Cleanup EXIT

Compose() { podman-compose -p "$project" -f "$scratch/docker/compose$compose_file.yaml" "$@"; }

# Up PROJECT FILE SERVICE…: those of docker/composeFILE.yaml.
Up() {
  project=$1 compose_file=$2
  shift 2
  Compose up -d "$@" >"$scratch/up.log" 2>&1 || {
    cat "$scratch/up.log" >&2
    ShowContainers
    Die "podman-compose does not start $project"
  }
}

Down() {
  Compose down -v -t 1 >/dev/null 2>&1
  project=
}

# The state of the containers, and the last lines of the log of each.
ShowContainers() {
  podman ps -a --format '{{.Names}} {{.Status}}' >&2
  local name
  for name in $(podman ps -a --format '{{.Names}}'); do
    printf -- '-- the log of %s\n' "$name" >&2
    podman logs --tail 20 "$name" >&2 || true
  done
}

# Try COMMAND…: once a second, as what has just been started or killed is noticed by others a little later.
Try() {
  local tries
  for ((tries = 0; tries < 60; ++tries)); do
    "$@" >"$scratch/tried" 2>&1 && return
    sleep 1
  done
  cat "$scratch/tried" >&2
  ShowContainers
  Die "this went on failing for a minute: $*"
}

StandIns() {
  cat >"$scratch/Containerfile" <<TEXT
FROM $base AS etcd
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends etcd-server haproxy prometheus \
 && ln -s /usr/bin/etcd /usr/local/bin/etcd
FROM etcd AS haproxy
USER 99
CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
FROM etcd AS prometheus
RUN install -d -o 65534 /prometheus
USER 65534
ENTRYPOINT ["prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]
TEXT
  local target named
  for target in etcd haproxy prometheus; do
    named=$(sed -nE "s#^ *image: (.*/$target:.*)#\1#p" docker/compose*.yaml | head -n 1)
    buildah bud --isolation chroot --network host --format docker --layers --target "$target" -t "$named" \
      "$scratch" >"$scratch/build.log" 2>&1 || {
      tail -n 20 "$scratch/build.log" >&2
      Die "no stand-in for $named"
    }
    echo "   $named"
  done
}

# A copy of this folder with certificates. The limit of descriptors is above what a build machine may
# grant.
Prepare() {
  cp -r docker "$scratch/docker"
  sed -i '/^ *ulimits:$/d; /^ *nofile:/d' "$scratch"/docker/compose*.yaml
  podman tag "$image" localhost/clearance:0.1.0
  local folder=$scratch/docker/certificates name
  mkdir "$folder"
  printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' >"$folder/names"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca \
    -keyout "$folder/ca.key" -out "$folder/ca.pem" 2>/dev/null
  for name in server client; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
      -keyout "$folder/$name.key" -out "$folder/$name.csr" 2>/dev/null
    openssl x509 -req -in "$folder/$name.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -CAcreateserial \
      -days 2 -extfile "$folder/names" -out "$folder/$name.crt" 2>/dev/null
  done
  cat "$folder/server.crt" "$folder/server.key" >"$folder/server.pem"
  chmod a+r "$folder"/*
}

# Through haproxy, as a client that its CA knows.
Ask() {
  local folder=$scratch/docker/certificates
  "$cli" --addr localhost:50051 --tls-ca "$folder/ca.pem" --tls-certificate "$folder/client.crt" \
    --tls-key "$folder/client.key" "$@"
}

# Told COMMAND…: what it prints, or NOT_FOUND. Fails where nobody answers, which may be repeated; whatever is
# answered is an answer.
Told() {
  "$@" >"$scratch/told" 2>&1 && return
  grep -q NOT_FOUND "$scratch/told" && return
  cat "$scratch/told"
  return 1
}

# Means RADIUS COMMAND…: the first answer to it has a ball of this radius; any other is stale.
Means() {
  local radius=$1
  shift
  Try Told "$@"
  grep -q "\"radius\": *$radius\b" "$scratch/told" || {
    cat "$scratch/told" >&2
    Die "not a ball of $radius: $*"
  }
}

# Of one server itself, with nothing in between.
AskServer() {
  local address
  address=$(podman inspect -f '{{(index .NetworkSettings.Networks "fleet_service").IPAddress}}' "fleet_$1_1")
  shift
  "$cli" --addr "$address:50051" "$@"
}

# AllMean RADIUS SERVER…: these servers, and whichever haproxy asks.
AllMean() {
  local radius=$1 server
  shift
  for server in "$@"; do Means "$radius" AskServer "$server" --json get --content ball; done
  Means "$radius" Ask --json get --content ball
}

Fleet() {
  Say 'a fleet as compose.fleet.yaml has it: etcd, servers, haproxy'
  Up fleet .fleet
  Try Ask register ball '{"sphere": {"radius": 1}}'
  local -r servers=(clearance-1 clearance-2 clearance-3)
  local radius harmed server running
  radius=1
  for harmed in clearance-1 etcd-1 clearance-2 etcd-2; do
    podman kill -s KILL "fleet_${harmed}_1" >/dev/null
    Try Ask register --replace ball "{\"sphere\": {\"radius\": $((++radius))}}"
    running=()
    for server in "${servers[@]}"; do
      [[ $server == "$harmed" ]] || running+=("$server")
    done
    AllMean "$radius" "${running[@]}"
    podman start "fleet_${harmed}_1" >/dev/null 2>&1
    AllMean "$radius" "${servers[@]}"
    echo "   kill -9 of $harmed: what was replaced meanwhile is the first that each of ${#servers[@]} servers says"
  done
  # Once more with everything back.
  Try Ask register --replace ball "{\"sphere\": {\"radius\": $((++radius))}}"
  AllMean "$radius" "${servers[@]}"
  Down
}

Single() {
  Say 'a server and a Prometheus as compose.yaml has them'
  Up single '' clearance prometheus
  Try "$cli" --addr localhost:50051 health
  local query='http://127.0.0.1:9090/api/v1/query?query=clearance_build_info'
  Try bash -c "curl -fsS '$query' | grep -q 'version.*0\.1\.0'"
  curl -fsS http://127.0.0.1:9090/api/v1/rules | grep -q '"name":"clearance"' || Die 'Prometheus has no rules of ours'
  echo '   Prometheus watches the server, with our rules and alerts'
  Down
}

Configure "$scratch"
podman image exists "$image" || Die "there is no $image: docker/build.sh builds it"
Say 'stand-ins from Debian'
StandIns
Prepare
case ${1:-} in
  single) Single ;;
  fleet) Fleet ;;
  *) Die 'single, fleet or ports?' ;;
esac
