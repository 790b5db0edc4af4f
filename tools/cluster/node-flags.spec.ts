import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ALLOCATOR, NODE_FLAGS, RELAY_FLAGS, allocatorOf, nodeFlagsOf } from './node-flags.js';

const textOf = (file: string): string => readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8');

const listIn = (file: string, name: string): string[] => {
  const list = new RegExp(`const ${name} = \\[([^\\]]*)\\];`).exec(textOf(file))?.[1] ?? '';
  return [...list.matchAll(/'(--[^']+)'/g)].map(([, flag]) => flag ?? '');
};
const relaying = [...NODE_FLAGS, ...RELAY_FLAGS];

describe('NODE_FLAGS', () => {
  it('are the same in the supervisor and in deploy/entrypoint.sh', () => {
    expect(/^exec node (.*) "\$@"/m.exec(textOf('deploy/entrypoint.sh'))?.[1]?.split(' ')).toEqual(NODE_FLAGS);
    expect(listIn('tools/run.mjs', 'NODE_FLAGS')).toEqual(NODE_FLAGS);
  });

  it('have one more for the programs with the relay', () => {
    const [, programs, flags] = /^ {2}(.*)\) set -- (.*) "\$main"/m.exec(textOf('deploy/entrypoint.sh')) ?? [];
    expect(programs?.split(' | ').map(nodeFlagsOf)).toEqual([relaying, relaying]);
    expect(flags?.split(' ')).toEqual(RELAY_FLAGS);
    expect(listIn('tools/run.mjs', 'RELAY_FLAGS')).toEqual(RELAY_FLAGS);
    expect(nodeFlagsOf('billing')).toEqual(NODE_FLAGS);
  });

  it('come with the same limit on memory arenas of the C library', () => {
    expect(textOf('deploy/entrypoint.sh')).toContain('export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"');
    expect(textOf('tools/run.mjs')).toContain("process.env.MALLOC_ARENA_MAX ??= '1';");
  });

  it('come with the same settings of its allocator, except for the programs with the relay', () => {
    const exported =
      /^ {2}\*\)\n((?: {4}export .*\n)+) {4}set -- "\$main"/m.exec(textOf('deploy/entrypoint.sh'))?.[1] ?? '';
    const lines = Object.entries(ALLOCATOR).map(([name, value]) => `    export ${name}="\${${name}:-${value}}"\n`);
    expect(exported).toBe(lines.join(''));
    expect([allocatorOf('billing'), allocatorOf('relay'), allocatorOf('all-in-one')]).toEqual([ALLOCATOR, {}, {}]);
  });
});
