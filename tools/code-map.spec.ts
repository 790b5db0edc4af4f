import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '..');
const page = readFileSync(path.join(root, 'docs/code-map.md'), 'utf8');

const foldersOf = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Names of folders that need no row. */
const COMMON = ['migrations'];

const sections = new Map(
  page
    .split('\n## ')
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', section] as const),
);

/** Folders that a section names: in the first column of its table, and in its sentence about providers. */
const namedIn = (section: string): string[] =>
  section
    .split('\n')
    .map((line) => (line.startsWith('| `') ? (line.split('|')[1] ?? '') : line.startsWith('|') ? '' : line))
    .flatMap((line) => [...line.matchAll(/`([a-z][a-z0-9-]*)`/g)].map(([, name]) => name ?? ''))
    .filter((name) => name !== 'test');

/** The names of the events that the source of a consumer handles. */
const eventsOf = (source: string): string[] =>
  [...source.matchAll(/@OnEvent\((\w+)/g)].map(([, event = '']) =>
    event.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );

describe('consumers', () => {
  const files = readdirSync(path.join(root, 'services'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\/src\/.*\.consumer\.ts$/.test(file),
  );

  it('are found', () => {
    expect(files.length).toBeGreaterThan(10);
  });

  it.each(files)('of one event are named after it: %s', (file) => {
    const events = eventsOf(readFileSync(path.join(root, 'services', file), 'utf8'));
    expect(events).not.toEqual([]);
    const name = path.basename(file, '.consumer.ts');
    expect(events.length === 1 ? [name] : events.filter((event) => event === name)).toEqual(
      events.length === 1 ? events : [],
    );
  });
});

describe('the code map', () => {
  const projects = ['services', 'libs'].flatMap((place) => foldersOf(place).map((name) => `${place}/${name}`));

  it('has a section for every service and library, and for the tools', () => {
    expect([...sections.keys()].sort()).toEqual([...projects, 'tools'].sort());
  });

  it.each([...projects, 'tools'])('names every folder of %s, and no other', (project) => {
    const source = project === 'tools' ? project : `${project}/src`;
    const there = foldersOf(source).filter((name) => !COMMON.includes(name));
    expect(namedIn(sections.get(project) ?? '').sort()).toEqual(there.sort());
  });
});
