import type { Replies } from './fake-fetch.js';
import { listed, success } from './fake-fetch.js';

export const channel = (id: number, change: Record<string, unknown> = {}) => ({
  id,
  type: 1,
  name: `channel-${id}`,
  status: 1,
  openai_organization: null,
  base_url: '',
  other: '',
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default',
  model_mapping: null,
  status_code_mapping: null,
  param_override: null,
  setting: null,
  auto_ban: 1,
  test_model: null,
  priority: 0,
  weight: 0,
  tag: null,
  created_time: 1,
  test_time: 0,
  response_time: 0,
  balance: 0,
  balance_updated_time: 0,
  used_quota: 0,
  other_info: '',
  ...change,
});
export const channelReplies = (rows: unknown[], more: Replies = {}): Replies => ({
  'GET /api/channel/search': listed(rows),
  'GET /api/channel/count': success({
    all: rows.length,
    enabled: 0,
    disabled: 0,
    auto_disabled: rows.filter((row) => (row as { status: number }).status === 3).length,
  }),
  'GET /api/group/': success(['default', 'vip']),
  'GET /api/channel/models': success([]),
  ...more,
});
