#!/bin/sh
# Starts a server from the environment variables that the published image of the same name understands.
set -eu

postgres() {
  data=/var/lib/postgresql/data
  chown -R postgres:postgres /var/lib/postgresql /run/postgresql
  as="setpriv --reuid postgres --regid postgres --init-groups"
  if [ ! -f $data/PG_VERSION ]; then
    echo "$POSTGRES_PASSWORD" >/tmp/password
    $as initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password -A scram-sha-256 --encoding=UTF8 >/dev/null
    rm /tmp/password
    echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
    $as postgres --single -D $data postgres <<SQL
CREATE DATABASE "$POSTGRES_DB";
SQL
  fi
  shift # the name of the program
  # shellcheck disable=SC2086
  exec $as postgres -D $data -c listen_addresses='*' -c unix_socket_directories=/run/postgresql "$@"
}

# Each variable becomes a property: KAFKA_LOG_DIRS is log.dirs.
kafka() {
  env | grep '^KAFKA_' | grep -v '^KAFKA_HEAP_OPTS=' | while IFS='=' read -r name value; do
    echo "$(echo "${name#KAFKA_}" | tr 'A-Z_' 'a-z.')=$value"
  done >/opt/kafka/server.properties
  export CLASSPATH='/opt/kafka/libs/*'
  java kafka.tools.StorageTool format -t "$CLUSTER_ID" -c /opt/kafka/server.properties --ignore-formatted
  # shellcheck disable=SC2086
  exec java ${KAFKA_HEAP_OPTS:-} -XX:+UseSerialGC kafka.Kafka /opt/kafka/server.properties
}

"$@"
