import type { DocumentedCall } from './call.js';

const times = 'start_timestamp={from}&end_timestamp={to}';
const hour = ['user_id', 'username', 'model_name', 'created_at', 'token_used', 'count', 'quota'];

/** Calls that the documents mention only in descriptions of pages, not in their lists of calls. */
export const consoleCalls: readonly DocumentedCall[] = [
  { method: 'GET', path: '/api/status/test', by: 'administrator', data: 'unsaid' },
  { method: 'GET', path: '/api/user/groups', by: 'visitor', data: 'object' },
  { method: 'GET', path: '/api/log/search?keyword=walker', by: 'administrator', data: 'list' },
  { method: 'GET', path: '/api/log/self/search?keyword=walker', by: 'user', data: 'list' },
  { method: 'GET', path: '/api/log/token?key=sk-{key}', by: 'visitor', data: 'list' },
  { method: 'GET', path: `/api/data/?username=&${times}`, by: 'administrator', data: 'list', fields: hour },
  { method: 'GET', path: `/api/data/self/?${times}`, by: 'user', data: 'list', fields: hour },
  { method: 'DELETE', path: '/api/user/{doomed}', by: 'administrator', data: 'unsaid' },
];
