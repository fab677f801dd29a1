# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs stages one after another and reports the seconds of each. To be sourced, in the project's root.

stage_lines=()
stage_failed=0
stage_skipped=0

# Stage NAME COMMAND…: every stage runs, even if an earlier one failed. Status 77 means skipped; the
# command has printed the reason.
Stage() {
  local name=$1 start=$SECONDS status=0 verdict=ok
  shift
  printf '\n######## %s\n' "$name"
  "$@" || status=$?
  case $status in
    0) ;;
    77) verdict=skipped stage_skipped=$((stage_skipped + 1)) ;;
    *) verdict=FAILED stage_failed=1 ;;
  esac
  stage_lines+=("$(printf '%-8s %5d s  %s' "$verdict" $((SECONDS - start)) "$name")")
}

# StageSummary NAME: the commit, its date and every stage, on standard output.
StageSummary() {
  local commit=$stage_commit
  [[ $(Commit) == "$stage_commit" ]] || commit+=', which changed during the run'
  printf '%s of %s, %s, %s processors\n' "$1" "$commit" "$(date -u +'%Y-%m-%d %H:%M UTC')" "$(nproc)"
  printf '%s\n' "${stage_lines[@]}"
  printf '%-8s %5d s  all stages' "$( ((stage_failed)) && echo FAILED || echo ok)" "$SECONDS"
  ((stage_skipped == 0)) || printf ', %d skipped' "$stage_skipped"
  echo
}

# The commit that is checked out, marked if files differ from it.
Commit() {
  local commit
  commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || { echo 'no commit'; return; }
  [[ -z $(git status --porcelain 2>/dev/null) ]] || commit+=' with uncommitted changes'
  echo "$commit"
}
stage_commit=$(Commit)
