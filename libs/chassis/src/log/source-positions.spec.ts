import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { productFolder } from '../config/version.js';
import { Logger } from './logger.js';
import { inSources, sourcePositions } from './source-positions.js';

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

/** Where files of our own build are, the only ones that are read. */
const BUILT = join(productFolder, 'dist');

describe('a stack', () => {
  let folder: string;
  beforeEach(() => {
    mkdirSync(BUILT, { recursive: true });
    folder = mkdtempSync(join(BUILT, 'map-'));
    writeFileSync(join(folder, 'plan.js.map'), JSON.stringify({ ...parsed, sources: ['src/plan.ts'] }));
    writeFileSync(join(folder, 'broken.js.map'), '{"sources":[null]}');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const thrown = lines.findIndex((text) => text.includes('throw new Error'));
  const column = (lines[thrown] ?? '').indexOf('new Error') + 1;
  const line = SOURCE.split('\n').findIndex((text) => text.includes('throw new Error')) + 1;
  const built = (): string => `Error: no
    at Second.fail (file://${folder}/plan.js:${thrown + 1}:${column})
    at ${folder}/plan.js:${thrown + 1}:${column}
    at async file://${folder}/plan.js:${thrown + 1}:${column}
    at async Promise.all (index 0)
    at async Plan.of [as make] (${folder}/plan.js:${thrown + 1}:${column})`;
  const source = (): string => `Error: no
    at Second.fail (${folder}/src/plan.ts:${line}:11)
    at ${folder}/src/plan.ts:${line}:11
    at async ${folder}/src/plan.ts:${line}:11
    at async Promise.all (index 0)
    at async Plan.of [as make] (${folder}/src/plan.ts:${line}:11)`;
  const failure = (message: string, options?: ErrorOptions): Error =>
    Object.assign(new Error(message, options), { stack: built() });

  it('names the source where the file has a map', () => {
    expect(inSources(built())).toBe(source());
  });

  it('is left as it is where it has none, or is not ours', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'map-'));
    cpSync(folder, elsewhere, { recursive: true });
    const stack = `Error: no
    at node:internal/process/task_queues:105:5
    at async Promise.all (index 0)
    at next (file://${folder}/other.js:1:1)
    at next (${folder}/broken.js:1:1)
    at next (${folder}/plan.js:9999:1)
    at next (${elsewhere}/plan.js:${thrown + 1}:${column})
    at next (${folder}/../${basename(folder)}/plan.js:${thrown + 1}:${column})
    at next (file://${BUILT}/%2Fx.js:1:1)
    at next (file:///%zz/x.js:1:1)`;
    expect(inSources(stack)).toBe(stack);
    rmSync(elsewhere, { recursive: true });
  });

  it('is looked for in its frames, which a message does not resemble', () => {
    const stack = built().replace('Error: no', `Error: no ${folder}/plan.js:${thrown + 1}:${column}`);
    expect(inSources(stack)).toBe(source().replace('Error: no', stack.split('\n')[0] ?? ''));
  });

  it.each([
    ['of slashes', '/'.repeat(1_000_000)],
    ['of one letter', '    at f'.padEnd(1_000_000, 'f')],
    ['of starts of frames', '    at '.repeat(200_000)],
    ['that is one frame', `    at ${'/'.repeat(1_000_000)}`],
    ['of long frames', `    at ${'/ ('.repeat(90)}\n`.repeat(5_000)],
    ['of addresses that name no file', '    at a (file:///%zz.js:1:1)\n    at a (file:///a%2Fb.js:1:1)'],
    ['of frames of many files', Array.from({ length: 20_000 }, (_, n) => `    at ${BUILT}/${n}.js:1:1`).join('\n')],
  ])('is soon looked through, and found, where the message is a text %s', (_, text) => {
    const stack = built().replace('no', `no\n${text}`);
    const work = (): string => inSources(stack);
    expect(runInNewContext('work()', { work }, { timeout: 2_000 })).toBe(source().replace('no', `no\n${text}`));
  });

  it('names the source in the log, also of a cause and of several errors in one', () => {
    const several = Object.assign(new AggregateError([failure('one'), null, 'two']), { stack: built() });
    expect(logged(several)).toMatchObject({ stack: source(), aggregateErrors: [{ stack: source() }, null, 'two'] });
    expect(logged(failure('two', { cause: failure('three') }))).toMatchObject({
      stack: `${source()}\ncaused by: ${source()}`,
    });
  });

  it('stays what it was in the error that is logged, whatever that is', () => {
    const odd = { message: 7, stack: built() };
    logged(odd);
    const member = { stack: built() };
    logged(new AggregateError([member]));
    expect([odd.stack, member.stack]).toEqual([built(), built()]);
  });

  it.each<[string, () => Error]>([
    ['frozen', () => Object.freeze(new Error('no'))],
    [
      'that contains itself',
      () => {
        const error = new AggregateError([], 'no');
        error.errors.push(error);
        return error;
      },
    ],
    [
      'whose stack cannot be read',
      () =>
        Object.defineProperty(new Error('no'), 'stack', {
          get() {
            throw new Error('broken');
          },
        }),
    ],
  ])('does not keep an error %s from being logged', (_, make) => {
    expect(logged(make())).toMatchObject({ message: expect.stringContaining('no') as unknown });
  });
});

/** The error as a line of the log contains it. */
function logged(error: unknown): unknown {
  const written: string[] = [];
  Logger.root('info', { write: (text) => void written.push(text) }).error('failed', { error });
  return (JSON.parse(written[0] ?? '{}') as { err: unknown }).err;
}
