import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transformSync } from '@swc/core';
import { inSources, nameSourcesInStacks, sourcePositions } from './source-positions.js';

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

describe('frames of a stack', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-map-'));
    writeFileSync(join(folder, 'plan.js.map'), JSON.stringify({ ...parsed, sources: ['src/plan.ts'] }));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const thrown = lines.findIndex((text) => text.includes('throw new Error'));
  const line = SOURCE.split('\n').findIndex((text) => text.includes('throw new Error')) + 1;

  it('name the source where the file has a map', () => {
    const column = (lines[thrown] ?? '').indexOf('new Error') + 1;
    expect(
      inSources([
        `    at Second.fail (file://${folder}/plan.js:${thrown + 1}:${column})`,
        `    at ${folder}/plan.js:${thrown + 1}:${column}`,
      ]),
    ).toEqual([`    at Second.fail (${folder}/src/plan.ts:${line}:11)`, `    at ${folder}/src/plan.ts:${line}:11`]);
  });

  it('are left as they are where it has none', () => {
    const frames = [
      '    at node:internal/process/task_queues:105:5',
      '    at async Promise.all (index 0)',
      `    at next (file://${folder}/other.js:1:1)`,
      `    at next (${folder}/plan.js:9999:1)`,
    ];
    expect(inSources(frames)).toEqual(frames);
  });
});

describe('the first line of a stack', () => {
  const prepare = Error.prepareStackTrace;
  beforeEach(() => nameSourcesInStacks());
  afterEach(() => {
    Error.prepareStackTrace = prepare;
  });

  it.each([
    ['TypeError: no', {}],
    ['TypeError [ERR_INVALID_URL]: no', { code: 'ERR_INVALID_URL' }],
    ['TypeError: no', { code: 'ECONNRESET' }],
  ])('is %j for an error with %j', (head, members) => {
    expect(Object.assign(new TypeError('no'), members).stack?.split('\n')[0]).toBe(head);
  });
});
