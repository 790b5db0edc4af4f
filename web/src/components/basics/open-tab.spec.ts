import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { openTab } from './open-tab.js';

const ROOT = join(import.meta.dirname, '../..');
const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('.spec.'))
  .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));

describe('a page opened in another tab', () => {
  it('cannot access its opener', () => {
    const tab = { opener: window } as unknown as Window;
    jest.spyOn(window, 'open').mockReturnValueOnce(tab);
    expect(openTab()).toBe(tab);
    expect(tab.opener).toBeNull();
    jest.spyOn(window, 'open').mockReturnValueOnce(null);
    expect(openTab()).toBeNull();
  });

  it('is opened without an opener everywhere', () => {
    const opens = sources.flatMap(({ name, text }) =>
      [...text.matchAll(/window\.open\([^)]*\)/g)].map(([call]) => [name, call]),
    );
    const careless = opens.filter(([name, call]) => !call?.includes("'noopener'") && !name?.endsWith('open-tab.ts'));
    expect(opens.length).toBeGreaterThan(2);
    expect(careless).toEqual([]);
  });

  it('is linked without an opener everywhere', () => {
    const links = sources.flatMap(({ name, text }) =>
      [...text.matchAll(/target[=:]\s*['"]_blank['"][^>}]*/g)].map(([link]) => [name, link]),
    );
    expect(links.length).toBeGreaterThan(2);
    expect(links.filter(([, link]) => !link?.includes('noopener'))).toEqual([]);
  });
});
