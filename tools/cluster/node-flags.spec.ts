import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { NODE_FLAGS } from './node-flags.js';

const textOf = (file: string): string => readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8');

describe('NODE_FLAGS', () => {
  it('are the same in the supervisor and in deploy/entrypoint.sh', () => {
    expect(/^exec node (.*) "\$main"/m.exec(textOf('deploy/entrypoint.sh'))?.[1]?.split(' ')).toEqual(NODE_FLAGS);
    const list = /const NODE_FLAGS = \[([^\]]*)\];/.exec(textOf('tools/run.mjs'))?.[1] ?? '';
    expect([...list.matchAll(/'(--[^']+)'/g)].map(([, flag]) => flag)).toEqual(NODE_FLAGS);
  });

  it('come with the same limit on memory arenas of the C library', () => {
    expect(textOf('deploy/entrypoint.sh')).toContain('export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"');
    expect(textOf('tools/run.mjs')).toContain("process.env.MALLOC_ARENA_MAX ??= '1';");
  });
});
