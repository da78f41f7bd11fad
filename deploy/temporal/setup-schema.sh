#!/bin/sh
# Creates or updates the schema of Temporal's two databases. Does nothing if they are up to date. The password is in
# SQL_PASSWORD, or in the file that SQL_PASSWORD_FILE names.
set -eu
[ -z "${SQL_PASSWORD_FILE:-}" ] || { SQL_PASSWORD="$(cat "$SQL_PASSWORD_FILE")" && export SQL_PASSWORD; }

setup() {
  tool="temporal-sql-tool --plugin postgres12 --ep $POSTGRES_SEEDS --port ${DB_PORT:-5432} --user $POSTGRES_USER --db $1"
  # Fails if the database exists. If it fails for another reason, the next command fails too.
  $tool create || echo "The database $1 exists."
  $tool setup-schema -v 0.0
  $tool update-schema -d "${SCHEMA_FOLDER:-/etc/temporal/schema}/postgresql/v12/$2/versioned"
}

setup "$DBNAME" temporal
setup "$VISIBILITY_DBNAME" visibility
