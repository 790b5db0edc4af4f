import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const SERVICES = path.resolve(import.meta.dirname, '../services');

interface Source {
  file: string;
  text: string;
}

const sourcesOf = (service: string): Source[] =>
  readdirSync(path.join(SERVICES, service, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => ({ file, text: readFileSync(path.join(SERVICES, service, 'src', file), 'utf8') }));

/** Names in the first `[…]` after each occurrence of `before`. */
const namesIn = (text: string, before: RegExp): string[] =>
  [...text.matchAll(new RegExp(`${before.source}\\s*\\[([^\\]]*)\\]`, 'g'))].flatMap(([, list = '']) =>
    [...list.matchAll(/\w+/g)].map(([name]) => name),
  );

const controllersIn = ({ text }: Source): string[] =>
  [...text.matchAll(/@Controller\([^)]*\)\s*export class (\w+)/g)].flatMap(([, name]) => name ?? []);
const migrationIn = ({ file }: Source): string[] =>
  /^migrations\/Migration\w+\.ts$/.test(file) ? [path.basename(file, '.ts')] : [];

/** The compiler does not report a class that nothing lists: its calls are unknown, and its events are not consumed. */
describe.each(readdirSync(SERVICES))('the classes of %s', (service) => {
  const sources = sourcesOf(service);

  it('that serve calls or consume events are listed by a module', () => {
    const modules = sources.filter(({ file }) => file.endsWith('.module.ts'));
    const listed = new Set(modules.flatMap(({ text }) => namesIn(text, /controllers:/)));
    expect(sources.flatMap(controllersIn).filter((name) => !listed.has(name))).toEqual([]);
  });

  it('that migrate are listed in order', () => {
    const index = sources.find(({ file }) => file === path.join('migrations', 'index.ts'));
    const listed = namesIn(index?.text ?? '', /const migrations\b[^=]*=/);
    expect(listed).toEqual(sources.flatMap(migrationIn).sort());
  });
});

describe('the search for classes', () => {
  it('finds controllers, migrations and lists', () => {
    expect(controllersIn({ file: 'a.ts', text: '@Controller()\nexport class A {' })).toEqual(['A']);
    expect(migrationIn({ file: 'migrations/Migration1_a.ts', text: '' })).toEqual(['Migration1_a']);
    expect(namesIn('controllers: [A, B],\nproviders: [C]', /controllers:/)).toEqual(['A', 'B']);
    expect(sourcesOf('logging').flatMap(controllersIn).length).toBeGreaterThan(10);
    expect(sourcesOf('logging').flatMap(migrationIn).length).toBeGreaterThan(10);
  });
});
