import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SecretBox } from './secret-box.js';

const box = new SecretBox('a secret of the tests that is long enough');

describe('SecretBox', () => {
  it('opens what it sealed, and never seals alike twice', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) => box.decrypt('purpose', box.encrypt('purpose', text)) === text.toWellFormed(),
      ),
    );
    expect(box.encrypt('purpose', 'same')).not.toBe(box.encrypt('purpose', 'same'));
  });

  it('opens nothing of another purpose or another secret, and nothing that was changed', () => {
    const sealed = box.encrypt('channel-key', 'sk-secret');
    expect(() => box.decrypt('other', sealed)).toThrow();
    expect(() => new SecretBox('another secret of the tests, long enough').decrypt('channel-key', sealed)).toThrow();
    expect(() => box.decrypt('channel-key', `${sealed.slice(0, -2)}AA`)).toThrow();
    expect(() => box.decrypt('channel-key', 'plain text')).toThrow();
  });

  it('reads its own signatures only', () => {
    const signed = box.sign('caller', { userId: 7 });
    expect(box.verify('caller', signed)).toEqual({ userId: 7 });
    expect(box.verify('service', signed)).toBeUndefined();
    const forged = `${Buffer.from('{"userId":1}').toString('base64url')}.${signed.split('.')[1]}`;
    expect(box.verify('caller', forged)).toBeUndefined();
    for (const nonsense of ['', '.', 'a.b', signed.slice(0, -1)])
      expect(box.verify('caller', nonsense)).toBeUndefined();
  });

  it('refuses a secret that is too short to be one', () => {
    expect(() => new SecretBox('short')).toThrow(/TOLLGATE_SECRET_KEY/);
  });
});
