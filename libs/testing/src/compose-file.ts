import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** The fields of a service that tests read or run. */
export interface ComposeService {
  image?: string;
  command?: string[];
  user?: string;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  environment?: Record<string, string>;
  env_file?: { path: string; required: boolean }[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  ports?: string[];
  volumes?: string[];
  networks?: string[] | Record<string, { ipv4_address?: string } | null>;
  stop_grace_period?: string;
  deploy?: { resources?: { limits?: { cpus?: string; memory?: string } } };
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
  networks: Record<string, { ipam?: { config?: { subnet: string; ip_range?: string }[] } } | null>;
}

const FILE = resolve(import.meta.dirname, '../../../deploy/compose.yaml');
const VARIABLE = /\$\{(\w+)(?::([?-])([^${}]*))?\}/g;

/** Resolves packages that are dependencies of a dependency, along the given chain. */
export const packageBehind = (...chain: readonly string[]): NodeJS.Require =>
  chain.reduce((from, name) => createRequire(from.resolve(name)), createRequire(import.meta.url));

/** deploy/compose.yaml without interpolation. The parser comes with Testcontainers. */
export function parseCompose(): unknown {
  const { parse } = packageBehind('testcontainers', 'docker-compose')('yaml') as {
    parse(text: string, options: { merge: boolean }): unknown;
  };
  return parse(readFileSync(FILE, 'utf8'), { merge: true });
}

/** deploy/compose.yaml with the values of a `.env` file inserted. */
export function readCompose(values: Record<string, string>): ComposeFile {
  return JSON.parse(JSON.stringify(parseCompose()), (_key, value: unknown) =>
    typeof value === 'string' ? interpolate(value, values) : value,
  ) as ComposeFile;
}

/** Inserts values into a text of the parsed file as compose does; a default may contain a variable itself. */
function interpolate(text: string, values: Record<string, string>): string {
  const replaced = text.replaceAll(VARIABLE, (_match, name: string, kind?: string, rest?: string) => {
    const value = values[name] ?? (kind === '-' ? rest : undefined);
    if (value === undefined) throw new Error(`${name} has neither a value nor a default`);
    return value;
  });
  return replaced === text ? text : interpolate(replaced, values);
}
