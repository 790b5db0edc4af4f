import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { Logger } from './logger.js';
import { inSources, nameSourcesInUncaughtErrors, sourcePositions } from './source-positions.js';

const SOURCE = `
interface Plan { name: string }

// A comment that the compiler leaves out.
export function first(plan: Plan): string {
  return [plan.name, '–', plan.name.toUpperCase()].join(
    ' ',
  );
}

export class Second {
  constructor(private readonly plan: Plan) {}

  fail(): never {
    throw new Error(this.plan.name);
  }
}
`;
const { code, map = '' } = transformSync(SOURCE, {
  filename: 'plan.ts',
  sourceMaps: true,
  jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
});
const parsed = JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0];
const lines = code.split('\n');

describe('positions in sources', () => {
  it('are those that Node finds, for every character of the code', () => {
    const wanted = lines.flatMap((text, line) =>
      [...text].map((_, column) => ({ line: line + 1, column: column + 1 })),
    );
    const table = new SourceMap(parsed);
    const expected = wanted.map(({ line, column }) => {
      const entry = table.findEntry(line - 1, column - 1);
      return 'originalLine' in entry && entry.generatedLine === line - 1
        ? { source: 0, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
        : undefined;
    });
    expect(expected.filter(Boolean).length).toBeGreaterThan(100);
    expect(sourcePositions(parsed.mappings, wanted)).toEqual(expected);
  });
});

describe('a stack', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-map-'));
    writeFileSync(join(folder, 'plan.js.map'), JSON.stringify({ ...parsed, sources: ['src/plan.ts'] }));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
    process.removeAllListeners('uncaughtExceptionMonitor');
  });

  const thrown = lines.findIndex((text) => text.includes('throw new Error'));
  const column = (lines[thrown] ?? '').indexOf('new Error') + 1;
  const line = SOURCE.split('\n').findIndex((text) => text.includes('throw new Error')) + 1;
  const built = (): string => `Error: no
    at Second.fail (file://${folder}/plan.js:${thrown + 1}:${column})
    at ${folder}/plan.js:${thrown + 1}:${column}`;
  const source = (): string => `Error: no
    at Second.fail (${folder}/src/plan.ts:${line}:11)
    at ${folder}/src/plan.ts:${line}:11`;
  const failure = (message: string, options?: ErrorOptions): Error =>
    Object.assign(new Error(message, options), { stack: built() });

  it('names the source where the file has a map', () => {
    expect(inSources(built())).toBe(source());
  });

  it('is left as it is where it has none', () => {
    const stack = `Error: no
    at node:internal/process/task_queues:105:5
    at async Promise.all (index 0)
    at next (file://${folder}/other.js:1:1)
    at next (${folder}/plan.js:9999:1)`;
    expect(inSources(stack)).toBe(stack);
  });

  it('is looked for in its frames only, not in the message', () => {
    const stack = built().replace('Error: no', `Error: no ${folder}/plan.js:${thrown + 1}:${column}`);
    expect(inSources(stack)).toBe(source().replace('Error: no', stack.split('\n')[0] ?? ''));
  });

  it.each([
    ['slashes', '/'.repeat(1_000_000)],
    ['starts of frames', '    at '.repeat(200_000)],
    ['a frame of slashes', `\n    at ${'/'.repeat(1_000_000)}`],
  ])('is looked through once, however many %s there are', (_, text) => {
    const work = (): string => inSources(`Error: ${text}`);
    expect(runInNewContext('work()', { work }, { timeout: 10_000 })).toBe(`Error: ${text}`);
  });

  it('names the source in the log, also of a cause and of several errors in one', () => {
    const written: string[] = [];
    const logger = Logger.root('info', { write: (text) => void written.push(text) });
    const several = Object.assign(new AggregateError([failure('one')]), { stack: built() });
    logger.error('failed', { error: several });
    logger.error(failure('two', { cause: failure('three') }));
    const [first, second] = written.map((text) => (JSON.parse(text) as { err: Logged }).err);
    expect([first?.stack, first?.aggregateErrors?.[0]?.stack]).toEqual([source(), source()]);
    expect(second?.stack).toBe(`${source()}\ncaused by: ${source()}`);
  });

  it('names the source where Node prints an error that nobody caught', () => {
    nameSourcesInUncaughtErrors();
    const error = failure('no');
    process.listeners('uncaughtExceptionMonitor').forEach((listen) => listen(error, 'uncaughtException'));
    expect(error.stack).toBe(source());
  });
});

interface Logged {
  stack: string;
  aggregateErrors?: { stack: string }[];
}
