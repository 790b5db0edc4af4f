import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { allRoutes } from '@tollgate/contracts';

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

/** What the compiler does not report: unserved calls, events that nobody consumes, migrations that do not run. */
describe.each(readdirSync(SERVICES))('the service %s', (service) => {
  const sources = sourcesOf(service);

  it('serves each of its routes', () => {
    // The gateway has one route and knows it by its owner, see `edge.ts`; for the relay the compiler reports a route
    // without a handler, see `hot-routes.ts`.
    if (service === 'gateway' || service === 'relay') return;
    const owned = allRoutes.filter(({ owner }) => owner === service).map(({ operationId }) => operationId);
    const served = new Set(sources.flatMap(({ text }) => [...text.matchAll(/\broutes\.(\w+)/g)].map(([, id]) => id)));
    expect(owned.filter((id) => !served.has(id))).toEqual([]);
  });

  it('lists all classes that serve calls or consume events in a module', () => {
    const modules = sources.filter(({ file }) => file.endsWith('.module.ts'));
    const listed = new Set(modules.flatMap(({ text }) => namesIn(text, /controllers:/)));
    expect(sources.flatMap(controllersIn).filter((name) => !listed.has(name))).toEqual([]);
  });

  it('lists all migrations, in order', () => {
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
