#!/bin/sh
# Run once, by the image of Postgres, when it makes its data directory. Migrating grants what the role may do.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_APP_PASSWORD" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
create role hongbao_app login password :'password';
SQL
