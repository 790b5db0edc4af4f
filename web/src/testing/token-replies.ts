import { success } from './fake-fetch.js';

export const token = (id: number, change: Record<string, unknown> = {}) => ({
  id,
  user_id: 3,
  key: 'abc***xyz',
  status: 1,
  name: `token-${id}`,
  created_time: 1_795_000_000,
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 500_000,
  used_quota: 0,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: '',
  ...change,
});
/** What the form of a token offers. */
export const catalogue = {
  'GET /api/user/self/groups': success({ default: { desc: 'd', ratio: 1 } }),
  'GET /api/user/models': success(['m1', 'm2']),
};
