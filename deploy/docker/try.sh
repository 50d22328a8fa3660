#!/bin/bash
# try.sh IMAGE: runs a built image as it is meant to be run, read-only and without rights, sends the text of README.md through it, asks its doctor, stops it and
# starts it again over the same volume. Says its size and how long each took. Needs podman (PODMAN=docker takes Docker), curl and bash; changes nothing else.
set -euo pipefail

image=${1:?the image\'s name}
podman=${PODMAN:-podman}
port=${TRY_PORT:-18080}
root=$(cd "$(dirname "$0")/../.." && pwd)
key=pk_test_$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
name=parley-try-$$
# An engine whose networks are not set up, as in a machine without iptables, takes the machine's own: TRY_NETWORK=host.
network=()
address=(--publish "127.0.0.1:$port:8080")
[ "${TRY_NETWORK:-}" != host ] || { network=(--network host); address=(--env "PORT=$port" --env PARLEY_HOST=127.0.0.1); }

clean() {
  "$podman" logs "$name" > "/tmp/$name.log" 2>&1 || true
  "$podman" rm --force --time 0 "$name" > /dev/null 2>&1 || true
  "$podman" volume rm "$name" > /dev/null 2>&1 || true
}
trap clean EXIT
ms() { date +%s%3N; }
must() { echo "FAIL $1; its log: /tmp/$name.log" && exit 1; }

ready() { # how long until /readyz says yes
  local begun
  begun=$(ms)
  until curl --silent --fail --output /dev/null "http://127.0.0.1:$port/readyz"; do
    [ $(($(ms) - begun)) -lt 180000 ] || must "not ready after three minutes"
    [ "$("$podman" inspect --format '{{.State.Running}}' "$name")" = true ] || must "it ended"
    sleep 0.1
  done
  echo "ok   $1 after $(($(ms) - begun)) ms"
}

echo "     image: $("$podman" image inspect --format '{{.Size}}' "$image" | awk '{ printf "%.0f MB", $1 / 1e6 }')"
"$podman" run --detach --name "$name" "${network[@]}" "${address[@]}" --read-only --tmpfs /tmp --shm-size 256m --cap-drop ALL \
  --security-opt no-new-privileges --stop-timeout 120 --volume "$name:/data" --env "PARLEY_BOOTSTRAP_API_KEY=$key" "$image" > /dev/null
ready "a first start, with a new database, is ready"

inside() { "$podman" exec "$name" "$@"; }
[ "$(inside node --print 'process.getuid()')" = 10001 ] || must "it runs as another user"
inside node --eval 'require("fs").writeFileSync("/opt/parley/x", "")' 2> /dev/null && must "its root can be written"
inside node --eval 'process.exit(["/usr/bin/cc", "/usr/bin/npm", "/opt/parley/node_modules/typescript"].some((path) => require("fs").existsSync(path)) ? 1 : 0)' ||
  must "tools of the build are in it"
echo "ok   user 10001, a root that cannot be written, no tools of the build"
inside node deploy/docker/healthy.mjs || must "its health check fails"
echo "ok   health check"

block=$(sed -n '/^## The first campaign/,/^## What/p' "$root/README.md" | sed -n '/^```sh/,/^```/p' | sed '/^```/d' |
  sed "s|^URL=.* KEY=\$(cat .data/first-api-key)|URL=http://127.0.0.1:$port KEY=$key|")
talk=$(bash -c "$block")
grep -q '"direction":"inbound"' <<< "$talk" || must "no answer to the text: $talk"
echo "ok   a text went to a simulated phone, which answered"
inside node bin/parley.ts doctor || must "its doctor"

begun=$(ms)
"$podman" stop "$name" > /dev/null
code=$("$podman" inspect --format '{{.State.ExitCode}}' "$name")
[ "$code" = 0 ] || must "it ended with $code when it was stopped"
echo "ok   stopped in order after $(($(ms) - begun)) ms"
"$podman" start "$name" > /dev/null
ready "a second start, over the same volume, is ready"
curl --silent --fail --header "X-API-Key: $key" "http://127.0.0.1:$port/v1/organizations" | grep -q 'Acme Homes' || must "what was there is gone"
echo "ok   what was there is there"
