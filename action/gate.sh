#!/bin/bash
# The gate of action.yml: BASELINE, CAPTURES and FAIL_IF have one entry per line; exits with the status of the gate.
set -uo pipefail

lines() { # the lines of a text that are not blank, without spaces around them
    sed 's/^[[:space:]]*//; s/[[:space:]]*$//; /^$/d' <<<"$1"
}

mapfile -t before < <(lines "${BASELINE:-}")
mapfile -t after < <(lines "${CAPTURES:-}")
mapfile -t conditions < <(lines "${FAIL_IF:-}")
if [ ${#before[@]} = 0 ] || [ ${#after[@]} = 0 ] || [ ${#conditions[@]} = 0 ]; then
    echo "::error title=nsysql gate::baseline, captures and fail-if each need at least one line."
    exit 2
fi
options=()
for condition in "${conditions[@]}"; do options+=(--fail-if "$condition"); done
[ "${STRICT:-false}" = true ] && options+=(--strict)

case ${after[0]} in
*.digest | *.digest.json) ;; # it is the next baseline itself
*) # a folder is one export, or the ranks of a job, which have no digest; if it fails, so does the comparison
    tables=$(find "${after[0]}" -maxdepth 1 \( -name '*.parquet' -o -name '*.arrow' \) 2>/dev/null)
    if [ ! -d "${after[0]}" ] || [ -n "$tables" ]; then
        nsysql digest "${after[0]}" -o "${DIGEST:-nsysql.digest}" || true
    fi
    ;;
esac
nsysql compare "${before[@]}" --with "${after[@]}" -f markdown -q >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
nsysql compare "${before[@]}" --with "${after[@]}" -f github "${options[@]}"
status=$?
echo "status=$status" >>"${GITHUB_OUTPUT:-/dev/null}"
[ $status = 0 ] || echo "::error title=nsysql gate::failed with status $status; 3 is a condition, 1 cannot be judged."
exit $status
