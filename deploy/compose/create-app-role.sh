#!/bin/sh
# The image of Postgres runs this once, when it makes its data directory. The migration grants the
# rights of the role.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_APP_PASSWORD" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
create role hongbao_app login password :'password';
SQL
