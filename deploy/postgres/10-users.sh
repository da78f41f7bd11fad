#!/bin/sh
# Creates the Postgres users and their databases, unless they exist. Switchyard and Temporal own theirs and
# cannot connect to each other's. Needs psql 15 or later.
set -eu
secrets="${SECRETS_FOLDER:-/run/secrets}"
switchyard="$(cat "$secrets/switchyard_password")"
temporal="$(cat "$secrets/temporal_password")"

# In the environment of psql alone. Every user of a machine can see the arguments of a program, and the image of Postgres
# sources this file, so that the server would get what it exports.
SWITCHYARD_PASSWORD="$switchyard" TEMPORAL_PASSWORD="$temporal" \
  psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv switchyard SWITCHYARD_PASSWORD
\getenv temporal TEMPORAL_PASSWORD
select format('create role switchyard login password %L', :'switchyard')
 where not exists (select from pg_roles where rolname = 'switchyard') \gexec
select format('create role temporal login password %L', :'temporal')
 where not exists (select from pg_roles where rolname = 'temporal') \gexec
select format('create database %I owner %I', name, owner)
  from (values ('switchyard', 'switchyard'), ('temporal', 'temporal'), ('temporal_visibility', 'temporal')) as t (name, owner)
 where not exists (select from pg_database where datname = name) \gexec
-- To see the sessions and transactions of others, which metrics and the doctor count.
grant pg_read_all_stats to switchyard;
revoke connect on database switchyard from public;
revoke connect on database temporal from public;
revoke connect on database temporal_visibility from public;
SQL
