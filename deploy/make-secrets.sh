#!/bin/sh
# Generates the secrets for docker-compose.yml in ./secrets, or in the folder that you name. Keeps secrets that exist.
#
# Other users of this machine cannot enter the folder. The files themselves are readable, because containers mount them
# one by one, under users with other ids.
set -eu
folder="${1:-secrets}"
umask 077
mkdir -p "$folder"

# make <name> <command …>: stores the output of the command, unless the secret exists.
make() {
  file="$folder/$1"
  shift
  [ -s "$file" ] || { "$@" >"$file.new" && mv "$file.new" "$file"; }
  chmod 444 "$file"
}
database_url() { echo "postgres://switchyard:$(cat "$folder/switchyard_password")@postgres:5432/switchyard"; }
vault_keys() { echo "$(date +%Y-%m):$(openssl rand -base64 32)"; }

make postgres_password openssl rand -hex 24
make switchyard_password openssl rand -hex 24
make temporal_password openssl rand -hex 24
make database_url database_url
make vault_keys vault_keys
make jwt_private_key openssl genpkey -algorithm ed25519
echo "The secrets are in $folder. Back up vault_keys apart from the database."
