#!/usr/bin/env bash
# Plays a match at random with nothing but curl, and prints the label of each move, then the outcome.
#
#   SERVER=http://127.0.0.1:8080 clients/curl/play.sh
#
# It makes a match against a house bot, with API_KEY if the server asks for one; with MATCH and CREDENTIAL it sits down there.
# It reads JSON with grep and sed, which works because Umpire writes it without spaces and each field in its fixed place. A program of yours has a JSON parser: use it.
set -euo pipefail

SERVER=${SERVER:-http://127.0.0.1:8080}
GAME=${GAME:-goldn_crash}
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# call PATH [BODY]: leaves the answer in the file. A refusal is shown and ends the script, unless it is HTTP 409: the decision was answered elsewhere meanwhile.
# Asking again after 503 or a lost connection is safe, since every call that changes something has a requestId.
call() {
  local body=() status
  [ $# -lt 2 ] || body=(-d "$2")
  status=$(curl -sS -o "$answer" -w '%{http_code}' --retry 4 --retry-connrefused -m 20 \
    -H "content-type: application/json" -H "authorization: ${CREDENTIAL:+Bearer $CREDENTIAL}" -H "x-api-key: ${API_KEY:-}" ${body[@]+"${body[@]}"} "$SERVER/v1/$1")
  case $status in
    200 | 409) ;;
    *) cat "$answer" >&2 && exit 1 ;;
  esac
}

# first PATTERN: the part in brackets, of the first place where the answer matches.
first() { { grep -o "$1" "$answer" || true; } | head -n 1 | sed "s/$1/\1/"; }

if [ -z "${MATCH:-}" ]; then
  call matches "{\"game\": \"$GAME\", \"seats\": [{\"displayName\": \"curl\"}, {\"houseBot\": \"random\"}], \"requestId\": \"$RANDOM-$RANDOM-$RANDOM-$$\"}"
  MATCH=$(first '"matchId":"\([^"]*\)"')
  CREDENTIAL=$(first '"seats":\[{"seat":1,"credential":"\([^"]*\)"')
fi

while call "matches/$MATCH?omit_view=true" && ! grep -qE '"status":"MATCH_STATUS_(FINISHED|ABANDONED)"' "$answer"; do
  call "matches/$MATCH/legal-moves"
  decision=$(first '"decision":{"decisionId":\([0-9]*\)')
  if [ -z "$decision" ]; then
    sleep 0.2 # it is another seat's turn
    continue
  fi
  moves=$(grep -o '"moveId":"[^"]*"' "$answer" | cut -d '"' -f 4)
  labels=$(grep -o '"label":"[^"]*"' "$answer" | cut -d '"' -f 4)
  line=$((RANDOM % $(wc -l <<<"$moves") + 1))
  call "matches/$MATCH/moves" "{\"decisionId\": $decision, \"moveId\": \"$(sed -n "${line}p" <<<"$moves")\", \"requestId\": \"$decision-$RANDOM\", \"omitView\": true}"
  ! grep -q '"appliedVersion"' "$answer" || sed -n "${line}p" <<<"$labels"
done
grep -o '"outcome":{[^}]*}' "$answer"
