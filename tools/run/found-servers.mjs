/**
 * Prints on one line which of the servers that suites need are available on this machine. The line is part of Nx's
 * cache key: a suite that was skipped for lack of a server runs again once the server is there.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const COMMANDS = ['chromium', 'redis-server', 'clickhouse-server', 'haproxy', 'java', 'mvn', 'podman', 'runc'];
const POSTGRES = '/usr/lib/postgresql';

const folders = (process.env.PATH ?? '').split(path.delimiter);
const found = COMMANDS.filter((command) => folders.some((folder) => existsSync(path.join(folder, command))));
const versions = existsSync(POSTGRES)
  ? readdirSync(POSTGRES).filter((name) => existsSync(path.join(POSTGRES, name, 'bin/initdb')))
  : [];
process.stdout.write(`${[...found, ...versions.map((version) => `postgresql ${version}`)].join(', ')}\n`);
