import type { State } from './states.js';

/** A page or one of its views, and how a test recognises it. */
export interface Shown {
  /** Name in the file names of pictures. */
  page: string;
  /** Id in the list of pages. */
  id: string;
  address: string;
  /** Selector of a control to press after loading, for views without an address of their own. */
  press?: string;
  /** The page's heading in every state; absent if it is a text of an operator or a user. */
  heading?: string;
  /** Selector of content that only this view has, in every state. */
  view?: string;
  /** Accessible name of the page's list. */
  list?: string;
  /** Selector of content that is present once the page has its data; in `product`, `long` and `many`. */
  rows: string;
  /** The number of rows that the page shows in `many`. */
  total?: string;
  /** The empty state offers no action. */
  idle?: boolean;
  /** The error state has no button to retry. */
  still?: boolean;
  /** Calls that get a reply in every state, because the view does not exist without them. */
  keeps?: RegExp;
  /** States that the page does not have, or that other suites check. */
  never?: State[];
}

const listed = (one: Omit<Shown, 'rows'> & { list: string }): Shown => ({
  ...one,
  rows: `[aria-label="${one.list}"] [data-row]`,
  total: one.total ?? '10,000',
});
const tab = (name: string): string => `role=tab[name=/^${name}/][selected=true]`;

const lists: Shown[] = [
  listed({ page: 'channel', id: 'channel', address: '/channel', heading: '渠道', list: '渠道' }),
  listed({
    ...{ page: 'channel-tags', id: 'channel', address: '/channel?tags=1', heading: '渠道', list: '标签聚合模式' },
    idle: true,
  }),
  listed({ page: 'log', id: 'log', address: '/log', heading: '使用日志', list: '使用日志' }),
  listed({ page: 'user', id: 'user', address: '/user', heading: '管理用户', list: '管理用户' }),
  listed({ page: 'token', id: 'token', address: '/token', heading: 'API令牌', list: 'API令牌' }),
  listed({ page: 'drawings', id: 'midjourney', address: '/midjourney', heading: '绘图日志', list: '绘图日志' }),
  listed({ page: 'songs', id: 'task', address: '/task', heading: '任务日志', list: '任务日志' }),
  listed({
    ...{ page: 'redemption', id: 'redemption', address: '/redemption' },
    ...{ heading: '管理兑换码', list: '管理兑换码' },
  }),
  listed({
    ...{ page: 'audit', id: 'audit', address: '/audit', heading: '审计日志', list: '操作审计' },
    ...{ view: tab('操作审计'), idle: true },
  }),
  listed({
    ...{ page: 'refused', id: 'audit', address: '/audit?tab=refused', heading: '审计日志', list: '被拒绝的调用' },
    ...{ view: tab('被拒绝的调用'), idle: true },
  }),
  listed({
    ...{ page: 'journal', id: 'journal', address: '/journal', heading: '账本', list: '账本', idle: true },
  }),
  listed({ page: 'approval', id: 'approval', address: '/approval', heading: '审批', list: '审批' }),
  listed({
    ...{ page: 'statement', id: 'statement', address: '/statement', heading: '对账单', list: '对账单' },
    ...{ view: tab('所有用户'), idle: true },
  }),
  listed({
    ...{ page: 'own-statement', id: 'statement', address: '/statement/self', heading: '我的对账单', list: '对账单' },
    ...{ view: tab('我的'), idle: true },
  }),
  listed({ page: 'invoice', id: 'invoice', address: '/invoice', heading: '上游发票', list: '上游发票' }),
  listed({
    ...{ page: 'topup', id: 'topup', address: '/topup', heading: '我的钱包', list: '充值订单' },
    ...{ idle: true, still: true },
  }),
];

const SETTINGS = { id: 'setting', heading: '系统设置' };
const PRICES = { ...SETTINGS, address: '/setting?tab=operation' };
const pricesTab = (place: number): string => `#card-ratio [role="tab"]:nth-of-type(${place})`;
const settings: Shown[] = [
  {
    ...{ ...SETTINGS, page: 'setting', address: '/setting', view: tab('运营设置') },
    ...{ rows: '[data-option="RetryTimes"]', never: ['empty'] },
  },
  {
    ...{ ...SETTINGS, page: 'setting-models', address: '/setting?tab=models', view: tab('模型相关设置') },
    ...{ rows: '[data-option="global.pass_through_request_enabled"]', never: ['empty'] },
  },
  {
    ...{ ...PRICES, page: 'setting-ratio', press: pricesTab(2), view: tab('可视化倍率设置') },
    ...{ rows: '#card-ratio [aria-label="可视化倍率设置"] [data-row]', total: '10,000' },
    // Its prices are options, which the page around it loads.
    never: ['empty', 'failing', 'offline', 'slow'],
  },
  {
    ...{ ...PRICES, page: 'setting-unset', press: pricesTab(3), view: tab('未设置倍率模型') },
    ...{ rows: '#card-ratio [aria-label="未设置倍率模型"] [data-row]', total: '3,000' },
    ...{ idle: true, keeps: /^\/api\/option\/?$/ },
  },
];

const others: Shown[] = [
  // The operator's text is shown when it arrives; there is no loading state.
  { page: 'home', id: 'home', address: '/', rows: 'section h2', never: ['empty', 'many', 'slow'] },
  {
    ...{ page: 'playground', id: 'playground', address: '/playground', heading: 'Playground' },
    // A message can be typed before the models are loaded.
    ...{ rows: 'textarea', never: ['empty', 'slow'] },
  },
  {
    ...{ page: 'chat', id: 'chat', address: '/chat/0', rows: 'role=button[name="同意并打开"]' },
    // A user without a token is redirected.
    never: ['empty'],
  },
  {
    ...{ page: 'chat2link', id: 'chat2link', address: '/chat2link', rows: 'role=button[name="同意并打开"]' },
    never: ['empty'],
  },
  {
    page: 'pricing',
    id: 'pricing',
    address: '/pricing',
    heading: '模型列表',
    rows: '[aria-label="模型列表"] :is(td, li)',
    idle: true,
  },
  {
    ...{ page: 'popular-models', id: 'popular-models', address: '/udocs/popular-models', heading: '热门模型' },
    ...{ rows: 'section h2', idle: true },
  },
  { page: 'detail', id: 'detail', address: '/detail', heading: '数据看板', rows: '.MuiChartsSurface-root' },
  {
    ...{ page: 'personal', id: 'personal', address: '/personal', heading: '个人设置', rows: 'section h2' },
    never: ['empty', 'many', 'slow'],
  },
  {
    ...{ page: 'proof', id: 'proof', address: '/proof/request/0199a9b0-1111-7000-8000-000000000000' },
    ...{ heading: '证明链', rows: '[data-link]', never: ['empty'] },
  },
  {
    ...{ page: 'invoice-result', id: 'invoice', address: '/invoice/1' },
    ...{ rows: 'table[role="table"][aria-label="上游发票"] tbody tr', never: ['empty'] },
  },
  {
    ...{ page: 'about', id: 'about', address: '/about', heading: '关于', rows: 'h1 ~ *' },
    never: ['empty', 'many'],
  },
];

export const shownPages: Shown[] = [...lists, ...settings, ...others];

/** Pages without data of their own, with their addresses. */
export const pagesWithoutData: Record<string, string> = {
  login: '/login',
  register: '/register',
  reset: '/reset',
  'reset-confirm': '/user/reset',
  'not-found': '/nowhere',
};
/** Pages that exist for a single call; journeys check its outcome. */
export const pagesOfOneCall = ['setup', 'oauth'];
