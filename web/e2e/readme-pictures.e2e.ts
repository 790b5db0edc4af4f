import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { Desk } from './support/desk.js';
import type { Seeded } from './support/seeded.js';
import { startSeeded } from './support/seeded.js';

const root = path.resolve(import.meta.dirname, '../..');
const FOLDER = 'docs/pictures';
/** Bytes of one picture: a page about the product should not weigh more than the product's first view. */
const LARGEST = 120_000;
const pictures = [
  { name: 'channels', address: '/channel' },
  { name: 'usage-log', address: '/log' },
] as const;
const modes = ['light', 'dark'] as const;
const fileOf = (name: string, mode: string): string => `${FOLDER}/${name}.${mode}.png`;

describe('pictures of the console', () => {
  it.each(pictures)('stand in the README, light and dark: $name', ({ name }) => {
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    for (const mode of modes) {
      expect(readme).toContain(fileOf(name, mode));
      expect(statSync(path.join(root, fileOf(name, mode))).size).toBeLessThan(LARGEST);
    }
  });
});

// Made anew by `TOLLGATE_PICTURES=1 npm test -- web/e2e/readme-pictures`, after a change of what they show.
const making = process.env.TOLLGATE_PICTURES ? describe : describe.skip;
making('making them', () => {
  let seeded: Seeded;
  let desk: Desk;
  beforeAll(async () => {
    seeded = await startSeeded();
    desk = await Desk.open(seeded.testBed.url);
    mkdirSync(path.join(root, FOLDER), { recursive: true });
  });
  afterAll(async () => {
    await desk?.close();
    await seeded?.close();
  });

  it.each(pictures.flatMap((picture) => modes.map((mode) => ({ ...picture, mode }))))(
    '$name, $mode',
    async (picture) => {
      const { name, address, mode } = picture;
      const look = { width: 1080, height: 540, mode, language: 'en' } as const;
      const tab = await desk.tabBeside({ look, person: seeded.testBed.root });
      await tab.visit(address, '[data-row]');
      await tab.page.screenshot({ path: path.join(root, fileOf(name, mode)) });
      await tab.close();
    },
  );
});
