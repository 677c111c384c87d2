#!/bin/sh
# A script that asks before it does something that cannot be taken back. `sayso ask` ends with 0 only if it is allowed;
# whatever goes wrong (no person, no answer in time, a broken policy) is another status, and nothing is deployed.
set -eu
target=${1:?"usage: deploy.sh TARGET"}
sayso ask deploy --arg "target=$target" --description "Deploy the current build to $target" --timeout 120
echo "deploying to $target"
