import { describe, expect, it } from '@jest/globals';
import { picturePath, pictureTask } from './picture-address.js';
import { SecretBox } from '../crypto/secret-box.js';

const secrets = new SecretBox('a secret of this test, long enough to be one');
const NOW = Date.UTC(2026, 10, 22, 12);
const DAY = 86_400_000;
const address = (nowMs = NOW, box = secrets): { id: string; sign: string } => {
  const url = new URL(picturePath(box, { task: 7, id: 'mj 1', isFinal: true }, nowMs), 'http://localhost');
  return { id: decodeURIComponent(url.pathname.split('/').at(-1) ?? ''), sign: url.searchParams.get('sign') ?? '' };
};

describe('the address of a picture', () => {
  it('refers to its task, and is the same for a whole day', () => {
    expect(pictureTask(secrets, address(), NOW)).toBe(7);
    expect(address(NOW + 3_600_000)).toEqual(address());
  });

  it('is another one each time while the drawing can change, with the same signature', () => {
    const preview = (nowMs: number) => picturePath(secrets, { task: 7, id: 'mj 1', isFinal: false }, nowMs);
    const final = picturePath(secrets, { task: 7, id: 'mj 1', isFinal: true }, NOW);
    expect(preview(NOW)).toBe(`${final}&rand=${NOW}000000`);
    expect(preview(NOW + 1)).not.toBe(preview(NOW));
  });

  it('ends', () => {
    expect(pictureTask(secrets, address(), NOW + DAY)).toBe(7);
    expect(pictureTask(secrets, address(), NOW + 2 * DAY)).toBeUndefined();
  });

  it('is invalid for another id, on another installation, and if forged', () => {
    expect(pictureTask(secrets, { ...address(), id: 'mj 2' }, NOW)).toBeUndefined();
    expect(
      pictureTask(secrets, address(NOW, new SecretBox('another secret, long enough to be one')), NOW),
    ).toBeUndefined();
    for (const sign of ['', 'x', 'eyJ9.x']) expect(pictureTask(secrets, { id: 'mj 1', sign }, NOW)).toBeUndefined();
  });
});
