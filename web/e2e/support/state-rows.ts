import type { AuditEntry, RefusedCalls } from '@tollgate/contracts/api/audit';
import type { Channel } from '@tollgate/contracts/api/channel';
import type { Log, QuotaData } from '@tollgate/contracts/api/log';
import type { PricingRow } from '@tollgate/contracts/api/pricing';
import type { Redemption } from '@tollgate/contracts/api/redemption';
import type { CreativeTask, Drawing } from '@tollgate/contracts/api/task';
import type { Token } from '@tollgate/contracts/api/token';
import type { User } from '@tollgate/contracts/api/user';
import * as long from './long-values.js';

/** Ordinary rows, or rows whose values all have their greatest length. */
export type RowKind = 'ordinary' | 'long';

const NOW = 1_790_000_000;
const nameOf = (kind: RowKind, index: number, ordinary: string): string =>
  kind === 'long' ? long.longName(index) : `${ordinary}-${index + 1}`;
const modelOf = (kind: RowKind, index: number): string =>
  kind === 'long' ? (index % 2 ? long.MODEL_80 : long.HAN_64) : `model-${index % 12}`;
const unitsOf = (kind: RowKind, index: number): number =>
  kind === 'long' ? ([long.MOST_UNITS, long.DEBT, long.ONE_UNIT, 0][index % 4] ?? 0) : 500_000 + index;

const ordinaryChannel = {
  base_url: 'https://api.example.com',
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default',
  model_mapping: null,
  test_model: '',
  priority: 0,
  weight: 0,
  test_time: 0,
  response_time: 820,
  balance: 12.5,
};
const longChannel = {
  base_url: long.URL_500,
  models: long.MODELS_300.join(','),
  group: long.GROUPS_40.join(','),
  model_mapping: JSON.stringify({ [long.MODEL_80]: long.MODEL_80 }),
  test_model: long.MODEL_80,
  priority: 1_000_000_000,
  weight: 1_000_000_000,
  test_time: NOW,
  response_time: 3_600_000,
  balance: 9_007_199_254_740.99,
};

const reasonOf = (kind: RowKind): string =>
  JSON.stringify({ status_reason: kind === 'long' ? long.ERROR_2000 : 'invalid key', status_time: NOW });

export const channelRow = (kind: RowKind, index: number): Channel => ({
  ...(kind === 'long' ? longChannel : ordinaryChannel),
  id: index + 1,
  type: index % 3 === 2 ? 14 : 1,
  name: nameOf(kind, index, 'channel'),
  status: (index % 3) + 1,
  openai_organization: null,
  other: '',
  status_code_mapping: null,
  param_override: null,
  setting: null,
  auto_ban: 1,
  tag: nameOf(kind, Math.floor(index / 4), 'tag'),
  created_time: NOW - 86_400,
  balance_updated_time: NOW,
  used_quota: Math.abs(unitsOf(kind, index)),
  other_info: index % 3 === 2 ? reasonOf(kind) : '',
});

const ordinaryUser = {
  group: 'default',
  github_id: '',
  oidc_id: '',
  request_count: 12,
  aff_code: 'aB3d',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
};
const longUser = {
  group: long.HAN_64,
  github_id: long.LATIN_64,
  oidc_id: long.URL_500,
  request_count: long.MOST_UNITS,
  aff_code: long.LATIN_64.slice(0, 32),
  aff_count: 1_000_000,
  aff_quota: long.MOST_UNITS,
  aff_history_quota: long.MOST_UNITS,
  inviter_id: 2_147_483_647,
};

export const userRow = (kind: RowKind, index: number): User => ({
  ...(kind === 'long' ? longUser : ordinaryUser),
  id: index + 2,
  username: nameOf(kind, index, 'user'),
  display_name: nameOf(kind, index + 1, 'User'),
  role: index % 3 === 2 ? 10 : 1,
  status: (index % 2) + 1,
  email: `${kind === 'long' ? long.LATIN_64 : `user-${index}`}@example.com`,
  wechat_id: '',
  telegram_id: '',
  linux_do_id: '',
  quota: unitsOf(kind, index),
  used_quota: Math.abs(unitsOf(kind, index + 1)),
  DeletedAt: index % 5 === 4 ? '2026-01-01T00:00:00.000Z' : null,
  setting: '',
});

export const tokenRow = (kind: RowKind, index: number): Token => {
  const isLong = kind === 'long';
  return {
    id: index + 1,
    user_id: 1,
    key: `${index}`.padStart(48, 'kEy7'),
    status: (index % 4) + 1,
    name: nameOf(kind, index, 'token'),
    created_time: NOW - 86_400,
    accessed_time: isLong ? NOW : 0,
    expired_time: index % 2 ? -1 : NOW + 86_400,
    remain_quota: Math.abs(unitsOf(kind, index)),
    used_quota: Math.abs(unitsOf(kind, index + 1)),
    unlimited_quota: index % 3 === 2,
    model_limits_enabled: isLong,
    model_limits: isLong ? long.MODELS_300.join(',') : '',
    allow_ips: isLong
      ? Array.from({ length: 40 }, (_, at) => `2001:db8:85a3:8d3:1319:8a2e:370:${at}`).join('\n')
      : null,
    group: isLong ? long.HAN_64 : '',
  };
};

const longOther = (index: number): string => {
  const attempt = { class: 'server-error', status: 500, error_code: long.LATIN_64, duration_ms: 3_600_000 };
  return JSON.stringify({
    model_ratio: 0.000_001,
    group_ratio: 1_000_000,
    completion_ratio: 1_000_000,
    cache_tokens: 2_000_000_000,
    cache_ratio: 0.1,
    model_price: -1,
    frt: 3_600_000,
    is_model_mapped: true,
    upstream_model_name: long.MODEL_80,
    reasoning_effort: 'high',
    request_id: '0199a9b0-0000-7000-8000-000000000000',
    price_version: 'v2147483647',
    ...(index % 2 && { error_type: long.LATIN_64, error_code: long.LATIN_64, status_code: 500, outcome: 'failed' }),
    admin_info: {
      use_channel: Array.from({ length: 12 }, (_, at) => String(2_000_000_000 + at)),
      attempts: Array.from({ length: 12 }, (_, at) => ({
        ...attempt,
        channel_id: 2_000_000_000 + at,
        message: long.ERROR_2000,
      })),
    },
  });
};

export const logRow = (kind: RowKind, index: number): Log => {
  const isLong = kind === 'long';
  const type = isLong ? [2, 5, 2, 3][index % 4] : 2;
  return {
    id: index + 1,
    user_id: 1,
    created_at: NOW - index,
    type: type ?? 2,
    content: isLong ? long.ERROR_2000 : '',
    username: nameOf(kind, index, 'user'),
    token_name: nameOf(kind, index + 1, 'token'),
    model_name: modelOf(kind, index),
    quota: Math.abs(unitsOf(kind, index + 2)),
    prompt_tokens: isLong ? 2_000_000_000 : 12,
    completion_tokens: isLong ? 2_000_000_000 : 34,
    use_time: isLong ? 86_400 : 2,
    is_stream: index % 2 === 0,
    channel: isLong ? 2_000_000_000 : 1,
    channel_name: nameOf(kind, index, 'channel'),
    token_id: 1,
    group: isLong ? long.HAN_64 : 'default',
    other: isLong
      ? longOther(index)
      : JSON.stringify({ model_ratio: 1.25, group_ratio: 1, completion_ratio: 4, model_price: -1, frt: 320 }),
  };
};

export const quotaRow = (kind: RowKind, index: number): QuotaData => ({
  id: index + 1,
  user_id: 1,
  username: nameOf(kind, index, 'user'),
  model_name: kind === 'long' ? (long.MODELS_300[index % 40] ?? '') : `model-${index % 400}`,
  created_at: Math.floor(Date.now() / 3_600_000) * 3600 - (index % 24) * 3600,
  token_used: kind === 'long' ? 2_000_000_000 : 1200,
  count: kind === 'long' ? 1_000_000 : 3,
  quota: kind === 'long' ? 1_000_000_000_000 : 1000 + index,
});

export const priceRow = (kind: RowKind, index: number): PricingRow => {
  const isLong = kind === 'long';
  return {
    model_name: isLong ? (long.MODELS_300[index % 300] ?? '') : `${index % 2 ? 'gpt' : 'model'}-${index}`,
    quota_type: index % 5 === 4 ? 1 : 0,
    model_ratio: isLong ? 0.000_001 : 1.25,
    model_price: index % 5 === 4 ? (isLong ? 1_000_000 : 0.1) : 0,
    owner_by: isLong ? long.LATIN_64 : 'openai',
    completion_ratio: isLong ? 1_000_000 : 4,
    enable_groups: index % 7 === 6 ? [] : isLong ? long.GROUPS_40 : ['default'],
    priced: index % 4 !== 3,
  };
};

const taskFacts = (kind: RowKind, index: number) => {
  const isLong = kind === 'long';
  const status = ['SUCCESS', 'FAILURE', 'IN_PROGRESS', ''][index % 4] ?? '';
  return {
    id: index + 1,
    created_at: NOW,
    channel_id: isLong ? 2_000_000_000 : 7,
    user_id: 3,
    status: isLong && index % 5 === 4 ? long.LATIN_64.slice(0, 20) : status,
    progress: index % 7 === 6 ? 'soon' : '100%',
    fail_reason: status === 'FAILURE' ? (isLong ? long.ERROR_2000 : 'banned prompt') : '',
    quota: isLong ? long.MOST_UNITS : 50_000,
    refunded: status === 'FAILURE',
    request_id: '0199a9b0-0000-7000-8000-000000000000',
  };
};

export const drawingRow = (kind: RowKind, index: number): Drawing => {
  const isLong = kind === 'long';
  return {
    ...taskFacts(kind, index),
    action: isLong ? long.LATIN_64 : 'IMAGINE',
    code: isLong ? 2_000_000_000 : 1,
    mj_id: isLong ? long.LATIN_64.repeat(2) : `${1_700_000_000_000 + index}`,
    prompt: isLong ? long.ERROR_2000 : 'a cat on a mat',
    prompt_en: isLong ? long.MARKUP : '',
    description: '',
    state: '',
    submit_time: NOW * 1000,
    start_time: 0,
    finish_time: isLong ? NOW * 1000 + 86_400_000 : NOW * 1000 + 30_000,
    image_url: index % 4 === 0 ? '/mj/image/1?sign=x' : '',
    buttons: '',
    properties: '',
  };
};

export const songRow = (kind: RowKind, index: number): CreativeTask => ({
  ...taskFacts(kind, index),
  action: kind === 'long' ? long.LATIN_64 : 'MUSIC',
  updated_at: NOW,
  task_id: kind === 'long' ? long.LATIN_64.repeat(2) : `song-${index}`,
  platform: kind === 'long' ? long.LATIN_64 : 'suno',
  submit_time: NOW,
  start_time: 0,
  finish_time: NOW + 65,
  properties: {},
  data: null,
});

export const auditRow = (kind: RowKind, index: number): AuditEntry => ({
  id: index + 1,
  event_id: `event-${index}`,
  created_at: NOW - index,
  actor_id: index % 3,
  actor_name: index % 3 === 0 ? '' : nameOf(kind, index, 'admin'),
  action: kind === 'long' ? `option-${long.LATIN_64}` : 'option-update',
  subject: kind === 'long' ? `option:${long.LATIN_64}` : 'option:RetryTimes',
  user_id: 0,
  text: '',
  before: { value: kind === 'long' ? long.ERROR_2000 : '0', revision: 1 },
  after: { value: kind === 'long' ? long.MARKUP : '3', revision: 2 },
});

export const refusedRow = (kind: RowKind, index: number): RefusedCalls => ({
  minute: NOW - index * 60,
  reason: kind === 'long' ? long.LATIN_64 : 'invalid_token',
  status: 401,
  message: kind === 'long' ? long.ERROR_2000 : '无效的令牌',
  token_id: kind === 'long' ? 2_000_000_000 : 0,
  token_name: kind === 'long' ? nameOf(kind, index, 'token') : '',
  user_id: kind === 'long' ? 2_000_000_000 : 0,
  username: kind === 'long' ? nameOf(kind, index + 1, 'user') : '',
  model: modelOf(kind, index),
  count: kind === 'long' ? 1_000_000_000 : index,
  request_ids: [],
});

export const codeRow = (kind: RowKind, index: number): Redemption => ({
  id: index + 1,
  user_id: 1,
  key: `${index}`.padStart(32, 'c0de'),
  status: (index % 3) + 1,
  name: nameOf(kind, index, 'code'),
  quota: Math.abs(unitsOf(kind, index)),
  created_time: NOW,
  redeemed_time: index % 3 === 2 ? NOW : 0,
  used_user_id: index % 3 === 2 ? 2_000_000_000 : 0,
  expired_time: 0,
});
