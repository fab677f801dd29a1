#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh GRASP_DEMO ADDRESS HTTP_ADDRESS: runs a grasp check against a server and shows what the
# server counted.
set -euo pipefail
readonly grasp_demo=$1 address=$2 http_address=$3
"$grasp_demo" "$address"
printf '\nWhat the server counted:\n'
curl -fsS "http://$http_address/metrics" |
  grep -E '^(clearance_(queries_total|shapes|build_info)|grpc_server_handled_total)' | grep -v ' 0$'
