#!/bin/sh
# Makes Temporal's two databases, or brings them up to date; changes nothing where they are. The password is in
# SQL_PASSWORD, or in the file that SQL_PASSWORD_FILE names.
set -eu
[ -z "${SQL_PASSWORD_FILE:-}" ] || { SQL_PASSWORD="$(cat "$SQL_PASSWORD_FILE")" && export SQL_PASSWORD; }

setup() {
  tool="temporal-sql-tool --plugin postgres12 --ep $POSTGRES_SEEDS --port ${DB_PORT:-5432} --user $POSTGRES_USER --db $1"
  # Fails where the database exists already; where it fails for another reason, the next command fails too.
  $tool create || echo "The database $1 is there."
  $tool setup-schema -v 0.0
  $tool update-schema -d "${SCHEMA_FOLDER:-/etc/temporal/schema}/postgresql/v12/$2/versioned"
}

setup "$DBNAME" temporal
setup "$VISIBILITY_DBNAME" visibility
