import type { DocumentedCall } from './call.js';

const log = ['id', 'created_at', 'type', 'username', 'token_name', 'model_name', 'quota', 'content', 'other'];
const times = 'start_timestamp={from}&end_timestamp={to}';
const filters = `type=0&username=&token_name=&model_name=&${times}&channel=&group=`;

/** The remaining calls of `operations-and-consumption`, section 7. */
export const consumptionCalls: readonly DocumentedCall[] = [
  { method: 'POST', path: '/api/user/topup', by: 'user', body: { key: '{code}' }, data: 'number' },
  {
    method: 'POST',
    path: '/api/user/amount',
    by: 'user',
    body: { amount: 10, top_up_code: '' },
    data: 'unsaid',
    mayRefuse: true,
  },
  {
    method: 'POST',
    path: '/api/user/pay',
    by: 'user',
    body: { amount: 10, top_up_code: '', payment_method: 'zfb' },
    data: 'unsaid',
    mayRefuse: true,
  },
  {
    method: 'GET',
    path: `/api/log/?p=1&page_size=10&${filters}`,
    by: 'administrator',
    data: 'page',
    fields: [...log, 'channel', 'user_id'],
  },
  { method: 'GET', path: `/api/log/self/?p=1&page_size=10&${filters}`, by: 'user', data: 'page', fields: log },
  {
    method: 'GET',
    path: `/api/log/stat?${filters}`,
    by: 'administrator',
    data: 'object',
    fields: ['quota', 'rpm', 'tpm'],
  },
  { method: 'GET', path: `/api/log/self/stat?${filters}`, by: 'user', data: 'object', fields: ['quota', 'rpm', 'tpm'] },
  {
    method: 'GET',
    path: '/api/mj/?p=0&channel_id=&mj_id=&start_timestamp={fromMs}&end_timestamp={toMs}',
    by: 'administrator',
    data: 'list',
  },
  {
    method: 'GET',
    path: '/api/mj/self/?p=0&mj_id=&start_timestamp={fromMs}&end_timestamp={toMs}',
    by: 'user',
    data: 'list',
  },
  { method: 'GET', path: `/api/task/?p=0&channel_id=&task_id=&${times}`, by: 'administrator', data: 'list' },
  { method: 'GET', path: `/api/task/self?p=0&task_id=&${times}`, by: 'user', data: 'list' },
  {
    method: 'GET',
    path: '/api/pricing',
    by: 'visitor',
    data: 'list',
    fields: ['model_name', 'quota_type', 'enable_groups', 'model_ratio', 'completion_ratio', 'model_price'],
    beside: ['group_ratio', 'usable_group'],
  },
  {
    method: 'GET',
    path: '/api/status',
    by: 'visitor',
    data: 'object',
    fields:
      `system_name logo footer_html quota_per_unit display_in_currency enable_drawing enable_task enable_data_export chats
      data_export_default_time default_collapse_sidebar mj_notify_enabled chat_link chat_link2 docs_link version start_time
      email_verification turnstile_check turnstile_site_key github_oauth github_client_id oidc_enabled oidc_client_id
      oidc_authorization_endpoint wechat_login wechat_qrcode telegram_oauth telegram_bot_name linuxdo_oauth linuxdo_client_id
      setup self_use_mode_enabled demo_site_enabled customer_service_link server_address top_up_link min_topup
      enable_online_topup price`.split(/\s+/),
  },
  {
    method: 'POST',
    path: '/pg/chat/completions',
    by: 'user',
    body: {
      messages: [{ role: 'user', content: '你好' }],
      stream: true,
      model: 'gpt-4o-mini',
      group: 'default',
      max_tokens: 0,
      temperature: 0,
    },
    data: 'unsaid',
    streams: true,
  },
  {
    method: 'GET',
    path: '/api/reset_password?email=nobody@example.org&turnstile=',
    by: 'visitor',
    data: 'unsaid',
    mayRefuse: true,
  },
  {
    method: 'POST',
    path: '/api/user/reset',
    by: 'visitor',
    body: { email: 'nobody@example.org', token: 'x' },
    data: 'text',
    mayRefuse: true,
  },
  {
    method: 'GET',
    path: '/api/setup',
    by: 'visitor',
    data: 'object',
    fields: ['status', 'root_init', 'database_type'],
  },
  {
    method: 'POST',
    path: '/api/setup',
    by: 'visitor',
    body: {
      username: 'root',
      password: 'password',
      confirmPassword: 'password',
      SelfUseModeEnabled: false,
      DemoSiteEnabled: false,
    },
    data: 'unsaid',
    mayRefuse: true,
  },
  ...['github', 'oidc', 'linuxdo'].map((type): DocumentedCall => ({
    method: 'GET',
    path: `/api/oauth/${type}?code=1&state=2`,
    by: 'visitor',
    data: 'object',
    mayRefuse: true,
  })),
  { method: 'GET', path: '/api/notice', by: 'visitor', data: 'text' },
  { method: 'GET', path: '/api/about', by: 'visitor', data: 'text' },
  { method: 'GET', path: '/api/home_page_content', by: 'visitor', data: 'text' },
  { method: 'DELETE', path: '/api/user/self', by: 'user', data: 'unsaid' },
];
