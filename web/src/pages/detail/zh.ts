export const texts = {
  title: '数据看板',
  purpose: '所选时段花了多少、花在哪些模型上、还剩多少。',
  filter: {
    start: '起始时间',
    end: '结束时间',
    granularity: '时间粒度',
    user: '用户名称',
    tooLong: '时间跨度不能超过 {{days}} 天',
    tooManyHours: '按小时统计时，时间跨度不能超过 {{days}} 天',
  },
  granularity: { hour: '小时', day: '天', week: '周' },
  presets: '时段',
  preset: { today: '今天', '24h': '24 小时', '7d': '7 天', '30d': '30 天' },
  scope: {
    now: '账户余额',
    account: '账户累计',
    own: '我的调用',
    everybody: '全部用户',
    period: '所选时段 · {{whose}}',
  },
  figure: {
    balance: '当前余额',
    used: '历史消耗',
    requests: '请求次数',
    quota: '统计额度',
    tokens: '统计Tokens',
    calls: '统计次数',
    rpm: '平均RPM',
    tpm: '平均TPM',
  },
  tabs: '图表',
  spend: { tab: '消耗分布', title: '模型消耗分布', summary: '总计 {{total}}，共 {{count}} 个模型' },
  calls: {
    tab: '调用次数分布',
    title: '模型调用次数占比',
    summary: '总计 {{total, integer}} 次调用，共 {{count}} 个模型',
    slice: '{{count, integer}} 次（{{share}}%）',
    legend: '{{model}} · {{count, integer}} 次（{{share}}%）',
  },
  total: '总计：',
  others: '其他',
  unfinished: '最后一格进行中',
  asTable: '表格',
  csv: '导出 CSV',
  table: { model: '模型', share: '占比' },
  empty: { title: '所选时段没有调用', body: '创建一个令牌并发出请求，用量会在几秒内出现在这里。', action: '创建令牌' },
  books: { upTo: '账目核对无误，截至 <time/>', faults: '账目不平：{{count}} 处，运行 tollgate reconcile 查看' },
  attention: { title: '需要处理', off: '{{count}} 个渠道被自动禁用，查看原因' },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    detail: typeof texts;
  }
}
