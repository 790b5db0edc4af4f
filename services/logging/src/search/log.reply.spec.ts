import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { LogRow } from '../log/log-row.js';
import { toLogReply, toOwnLogReply } from './log.reply.js';

const log = {
  id: 5_000,
  channelId: 7,
  channelName: 'secret upstream',
  other: { model_ratio: 1, admin_info: { use_channel: ['7'] } },
} as LogRow;

const key = createSecretKey(Buffer.alloc(32));

describe('toOwnLogReply', () => {
  it('replaces the id, and removes everything about channels', () => {
    const reply = toOwnLogReply(log, key);
    expect(reply).toMatchObject({ id: expect.any(Number), channel: 0, channel_name: '', other: '{"model_ratio":1}' });
    expect(JSON.stringify(reply)).not.toContain('secret upstream');
    expect(reply.id).not.toBe(log.id);
  });

  it('keeps an empty `other` empty', () => {
    expect(toOwnLogReply({ ...log, other: null } as LogRow, key).other).toBe('');
    expect(toLogReply({ ...log, other: null } as LogRow).other).toBe('');
  });
});

describe('toLogReply', () => {
  it('shows administrators all of it', () => {
    expect(toLogReply(log)).toMatchObject({
      channel: 7,
      channel_name: 'secret upstream',
      other: '{"model_ratio":1,"admin_info":{"use_channel":["7"]}}',
    });
  });
});
