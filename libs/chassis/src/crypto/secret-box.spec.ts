import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SecretBox } from './secret-box.js';

const box = new SecretBox('a secret of the tests that is long enough');

describe('SecretBox', () => {
  it('opens what it sealed, and never produces the same ciphertext twice', () => {
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
    expect(() => box.decrypt('channel-key', sealed.replace(/.{4}(?=\.[^.]*$)/, 'AAAA'))).toThrow();
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

  describe('while its secret is replaced', () => {
    const OLD = 'the secret before, which is long enough';
    const NEW = 'the secret after, which is long enough too';
    const before = new SecretBox(OLD);
    const announced = new SecretBox(OLD, { next: NEW });
    const swapped = new SecretBox(NEW, { previous: OLD });
    const after = new SecretBox(NEW);

    it('opens and verifies what either secret made, and makes everything with the one in use', () => {
      for (const [maker, readers] of [
        [before, [before, announced, swapped]],
        [announced, [before, announced, swapped]],
        [swapped, [announced, swapped, after]],
        [after, [announced, swapped, after]],
      ] as const)
        for (const reader of readers) {
          expect(reader.decrypt('p', maker.encrypt('p', 'text'))).toBe('text');
          expect(reader.verify('p', maker.sign('p', { a: 1 }))).toEqual({ a: 1 });
          expect(reader.hmacs('p', 'text')).toContain(maker.hmac('p', 'text'));
        }
      expect(() => after.decrypt('p', before.encrypt('p', 'text'))).toThrow(before.keyId);
      expect(after.verify('p', before.sign('p', { a: 1 }))).toBeUndefined();
    });

    it('appends the id of the secret to a ciphertext, and reports which secret sealed it', () => {
      expect(swapped.encrypt('p', 'text')).toMatch(new RegExp(`^v1\\..*\\.${after.keyId}$`));
      expect(swapped.open('p', announced.encrypt('p', 'text'))).toEqual({ text: 'text', keyId: before.keyId });
      expect([swapped.keyIds, announced.keyIds]).toEqual([
        [after.keyId, before.keyId],
        [before.keyId, after.keyId],
      ]);
    });

    it('opens ciphertexts of releases that append no id, and produces ones that those releases can open', () => {
      const sealed = before.encrypt('p', 'text');
      const unnamed = sealed.split('.').slice(0, 4).join('.');
      expect(swapped.open('p', unnamed)).toEqual({ text: 'text', keyId: before.keyId });
      expect(() => after.decrypt('p', unnamed)).toThrow();
      expect(() => swapped.decrypt('other', unnamed)).toThrow();
    });

    it('returns the key with which hashes were made before a replacement', () => {
      const first = before.eldestKeyOf('p');
      expect([announced.eldestKeyOf('p'), swapped.eldestKeyOf('p')]).toEqual([first, first]);
    });

    it('counts the same secret once', () => {
      expect(new SecretBox(OLD, { previous: OLD, next: OLD }).keyIds).toEqual([before.keyId]);
    });
  });

  it('refuses a secret that is too short to be one', () => {
    expect(() => new SecretBox('short')).toThrow(/TOLLGATE_SECRET_KEY/);
    expect(() => new SecretBox('x'.repeat(32), { previous: 'short' })).toThrow(/TOLLGATE_SECRET_KEY_PREVIOUS/);
  });
});
