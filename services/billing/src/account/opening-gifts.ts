import type { MovementCode } from '../journal/journal.service.js';

/** The initial quota of the super administrator. */
const SETUP_GRANT = 100_000_000;

export type OpeningKind = 'setup' | 'register' | 'admin' | 'oauth';

interface GiftOptions {
  newUser: number;
  invitee: number;
  inviter: number;
}

export interface Gift {
  code: Extract<MovementCode, 'setup-grant' | 'new-user-gift' | 'invitee-gift' | 'inviter-reward'>;
  userId: number;
  amount: number;
}

/**
 * The gifts for opening an account. `inviterId` 0: the user was not invited. Rewards of inviters go to their affiliate
 * balance.
 */
export function openingGifts(
  opening: { userId: number; kind: OpeningKind; inviterId: number },
  options: GiftOptions,
): Gift[] {
  const { userId, kind, inviterId } = opening;
  if (kind === 'setup') return [{ code: 'setup-grant', userId, amount: SETUP_GRANT }];
  const gifts: Gift[] = [{ code: 'new-user-gift', userId, amount: options.newUser }];
  if (inviterId > 0) {
    gifts.push(
      { code: 'invitee-gift', userId, amount: options.invitee },
      { code: 'inviter-reward', userId: inviterId, amount: options.inviter },
    );
  }
  return gifts.filter(({ amount }) => amount > 0);
}
