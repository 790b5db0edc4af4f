import { findChannelType, pastedText, Role } from '@tollgate/contracts';
import { AppError, type Caller } from '@tollgate/chassis';
import { proxyOf } from './channel-target.js';
import type { Channel } from './channel.entity.js';

export type Addressed = Pick<Channel, 'type' | 'baseUrl' | 'other' | 'setting'>;

/**
 * Everything that decides which machine is given the key, as one text. A type counts even where the address stays: it
 * says which header or query carries the key. A region is part of the host's name.
 */
function destinationOf({ type, baseUrl, other, setting }: Addressed): string {
  const row = findChannelType(type);
  const region = row?.other?.field === 'region' ? other : '';
  return JSON.stringify([type, baseUrl || row?.baseUrl || '', region, proxyOf({ setting })]);
}

/**
 * Nobody below a super administrator sends a stored key to another place than it was entered for: with an address of one's
 * own every stored key could be read. Whoever enters the key again knows it anyway. A text that keeps the stored key, seen or not, enters none.
 */
export function assertMayMoveKey(
  move: { before: Addressed; after: Addressed; enteredKey: string | null | undefined },
  actor: Pick<Caller, 'role'>,
): void {
  if (actor.role >= Role.root || pastedText(move.enteredKey ?? '') !== '') return;
  if (destinationOf(move.before) === destinationOf(move.after)) return;
  const code = 'channel-key-needed';
  throw new AppError('forbidden', code, '修改渠道类型、API 地址、地区或代理时，请重新填写密钥，或由超级管理员修改', {
    fields: [{ path: 'key', code }],
  });
}
