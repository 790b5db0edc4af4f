import { asAdmin, asUser, defineRoutes } from './define-routes.js';

/** Bodies of channels contain lists of keys and JSON settings. */
const CHANNEL_BODY = 4 * 1024 * 1024;

/** Defaults for calls on many channels, with the documented message for an unreadable body. */
const ofMany = { ...asAdmin, unreadable: '参数错误' } as const;

export const channelRoutes = defineRoutes('channel', {
  listChannels: { method: 'GET', path: '/api/channel', ...asAdmin },
  searchChannels: { method: 'GET', path: '/api/channel/search', ...asAdmin },
  countChannels: { method: 'GET', path: '/api/channel/count', ...asAdmin },
  getDemonstration: { method: 'GET', path: '/api/channel/demonstration', ...asAdmin },
  createDemonstration: { method: 'POST', path: '/api/channel/demonstration', ...asAdmin },
  whyChannels: { method: 'GET', path: '/api/channel/why', ...asAdmin },
  getChannelHealth: { method: 'GET', path: '/api/channel/:id/health', ...asAdmin },
  getChannel: { method: 'GET', path: '/api/channel/:id', ...asAdmin },
  listChannelKeys: { method: 'GET', path: '/api/channel/:id/keys', ...asAdmin },
  switchChannelKey: { method: 'PUT', path: '/api/channel/:id/keys', ...asAdmin },
  createChannel: { method: 'POST', path: '/api/channel', ...asAdmin, bodyLimit: CHANNEL_BODY },
  updateChannel: { method: 'PUT', path: '/api/channel', ...asAdmin, bodyLimit: CHANNEL_BODY },
  deleteDisabledChannels: { method: 'DELETE', path: '/api/channel/disabled', ...asAdmin },
  deleteChannel: { method: 'DELETE', path: '/api/channel/:id', ...asAdmin },
  deleteChannels: { method: 'POST', path: '/api/channel/batch', ...ofMany },
  fixAbilities: { method: 'POST', path: '/api/channel/fix', ...asAdmin },
  tagChannels: { method: 'POST', path: '/api/channel/batch/tag', ...ofMany },
  updateTag: { method: 'PUT', path: '/api/channel/tag', ...ofMany },
  enableTag: { method: 'POST', path: '/api/channel/tag/enabled', ...ofMany },
  disableTag: { method: 'POST', path: '/api/channel/tag/disabled', ...ofMany },
  fetchChannelModels: { method: 'GET', path: '/api/channel/fetch_models/:id', ...asAdmin },
  fetchModels: {
    method: 'POST',
    path: '/api/channel/fetch_models',
    ...asAdmin,
    invalidStatus: 400,
    unreadable: 'Invalid request',
  },
  testChannels: { method: 'GET', path: '/api/channel/test', ...asAdmin },
  testChannel: { method: 'GET', path: '/api/channel/test/:id', ...asAdmin },
  testSomeChannels: { method: 'POST', path: '/api/channel/batch/test', ...ofMany },
  updateBalances: { method: 'GET', path: '/api/channel/update_balance', ...asAdmin },
  updateBalance: { method: 'GET', path: '/api/channel/update_balance/:id', ...asAdmin },
  listChannelModels: { method: 'GET', path: '/api/channel/models', ...asAdmin },
  listEnabledModels: { method: 'GET', path: '/api/channel/models_enabled', ...asAdmin },

  listDrawings: { method: 'GET', path: '/api/mj', ...asAdmin },
  listOwnDrawings: { method: 'GET', path: '/api/mj/self', ...asUser },
  listTasks: { method: 'GET', path: '/api/task', ...asAdmin },
  listOwnTasks: { method: 'GET', path: '/api/task/self', ...asUser },

  listModelsByType: { method: 'GET', path: '/api/models', ...asUser },
  listUserModels: { method: 'GET', path: '/api/user/models', ...asUser },
});
