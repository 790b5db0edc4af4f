import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '@tollgate/contracts/api/audit';
import { differencesOf, undoOf } from './undo.js';

const entry = (change: Partial<AuditEntry>): AuditEntry => ({
  ...{ id: 1, event_id: 'e', created_at: 1, actor_id: 1, actor_name: 'root', user_id: 0, text: '' },
  ...{ action: 'option-update', subject: 'option:RetryTimes', before: null, after: null },
  ...change,
});
const option = (key: string, before: object, after: object) =>
  entry({
    subject: `option:${key}`,
    before: before as Record<string, unknown>,
    after: after as Record<string, unknown>,
  });
const channel = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  entry({ action: 'channel-updated', subject: 'channel:7', before, after });

describe('undoing a change', () => {
  it('restores the former value of an option, on condition that the changed value is still stored', () => {
    expect(undoOf(option('RetryTimes', { value: '0', revision: 0 }, { value: '3', revision: 12 }))).toEqual({
      kind: 'option',
      body: { key: 'RetryTimes', value: '0', revision: 12 },
    });
  });

  it.each([
    ['secret', option('SMTPToken', { value: '***', revision: 1 }, { value: '***', revision: 2 })],
    ['long', option('ModelRatio', { value: 'sha256:00 (40000)', revision: 1 }, { value: '{}', revision: 2 })],
    ['old', option('RetryTimes', { value: '0' }, { value: '3' })],
    ['kind', option('NoSuchKey', { value: '0', revision: 0 }, { value: '3', revision: 1 })],
    ['kind', entry({ action: 'user-update', subject: 'user:5', before: { group: 'a' }, after: { group: 'b' } })],
    ['kind', entry({ action: 'channel-deleted', subject: 'channel:7', before: { count: 1 } })],
    ['secret', channel({ weight: 1 }, { weight: 2, key: '*** (changed)' })],
    ['secret', channel({ setting: '***' }, { setting: '' })],
    ['state', channel({ status: 3 }, { status: 1 })],
  ])('is not offered (%s)', (reason, one) => {
    expect(undoOf(one)).toBe(reason);
  });

  it('sends the fields of a channel in their wire form, with the values expected to be stored', () => {
    const before = { weight: 1, models: ['a', 'b'], auto_ban: true, status: 1 };
    const after = { weight: 5, models: ['a'], auto_ban: false, status: 2 };
    expect(undoOf(channel(before, after))).toEqual({
      kind: 'channel',
      body: { id: 7, weight: 1, models: 'a,b', auto_ban: 1, status: 1, expected: after },
    });
  });
});

describe('the differences', () => {
  it('leave out equal fields and the revision', () => {
    expect(differencesOf(option('X', { value: '0', revision: 0 }, { value: '3', revision: 12 }))).toEqual([
      { name: 'value', before: '0', after: '3' },
    ]);
    expect(differencesOf({ before: null, after: { models: ['a'] } })).toEqual([
      { name: 'models', before: undefined, after: '["a"]' },
    ]);
  });
});
