import { findChannelType, pastedText, Role } from '@tollgate/contracts';
import { AppError, type Caller } from '@tollgate/chassis';
import { proxyOf } from './channel-target.js';
import type { Channel } from './channel.entity.js';

export type Addressed = Pick<Channel, 'type' | 'baseUrl' | 'other' | 'setting'>;

/**
 * Everything that decides which machine gets the key, as one text. The type is part of it even if the address stays the
 * same, because it decides which header or query parameter carries the key. A region is part of the host name.
 */
function destinationOf({ type, baseUrl, other, setting }: Addressed): string {
  const row = findChannelType(type);
  const region = row?.other?.field === 'region' ? other : '';
  return JSON.stringify([type, baseUrl || row?.baseUrl || '', region, proxyOf({ setting })]);
}

/**
 * Only a super administrator may send a stored key to another address than it was entered for; otherwise an
 * administrator could read every stored key at an address of their own. A caller who enters the key again already has
 * it. A placeholder that keeps the stored key does not count as entering it.
 */
export function assertMayMoveKey(
  move: { before: Addressed; after: Addressed; enteredKey: string | null | undefined },
  actor: Pick<Caller, 'role'>,
): void {
  if (actor.role >= Role.root || pastedText(move.enteredKey ?? '') !== '') return;
  if (destinationOf(move.before) === destinationOf(move.after)) return;
  throw new AppError(
    'forbidden',
    'channel-key-needed',
    '修改渠道类型、API 地址、地区或代理时，请重新填写密钥，或由超级管理员修改',
    { field: 'key' },
  );
}
