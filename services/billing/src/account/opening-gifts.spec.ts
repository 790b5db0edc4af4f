import { describe, expect, it } from '@jest/globals';
import { openingGifts } from './opening-gifts.js';

const options = { newUser: 100, invitee: 20, inviter: 50 };

describe('openingGifts', () => {
  it('gives nothing that is set to zero', () => {
    expect(openingGifts({ userId: 1, kind: 'register', inviterId: 2 }, { newUser: 0, invitee: 0, inviter: 0 })).toEqual(
      [],
    );
  });
  it('rewards both sides of an invitation', () => {
    expect(openingGifts({ userId: 1, kind: 'oauth', inviterId: 2 }, options)).toEqual([
      { code: 'new-user-gift', userId: 1, amount: 100 },
      { code: 'invitee-gift', userId: 1, amount: 20 },
      { code: 'inviter-reward', userId: 2, amount: 50 },
    ]);
  });
  it('gives the set-up its grant alone', () => {
    expect(openingGifts({ userId: 1, kind: 'setup', inviterId: 2 }, options)).toEqual([
      { code: 'setup-grant', userId: 1, amount: 100_000_000 },
    ]);
  });
});
