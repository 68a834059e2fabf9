#!/bin/sh
# Makes the certificates of these tests, which protect nothing: an authority; "proxy" and "worker", certified by it for localhost and for umpire-worker;
# "stranger", certified by itself. They last for a hundred years. Needs openssl; the tests do not.
set -eu
cd "$(dirname "$0")"
key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null; }
key authority
openssl req -x509 -new -key authority.key -days 36500 -subj "/CN=authority of the tests" -out authority.crt
for name in proxy worker; do
  key "$name"
  openssl req -new -key "$name.key" -subj "/CN=$name" -out "$name.csr"
  printf 'subjectAltName=DNS:localhost,IP:127.0.0.1,DNS:umpire-%s\nbasicConstraints=CA:FALSE\n' "$name" > "$name.ext"
  openssl x509 -req -in "$name.csr" -CA authority.crt -CAkey authority.key -CAcreateserial -days 36500 -extfile "$name.ext" -out "$name.crt" 2>/dev/null
done
key stranger
openssl req -x509 -new -key stranger.key -days 36500 -subj "/CN=stranger" -addext "subjectAltName=DNS:umpire-worker" -out stranger.crt
rm -f ./*.csr ./*.ext ./*.srl authority.key
