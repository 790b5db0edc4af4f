export const texts = {
  title: '账本',
  purpose: '每一笔额度从哪个账户到哪个账户；只增不改，更正也是新的一笔。列表最多翻到 10,000 条，更早的请用筛选或导出。',
  from: '开始时间',
  to: '结束时间',
  user: '用户 ID',
  token: '令牌 ID',
  actor: '操作人 ID',
  referenceHint: '请求 ID、订单号',
  emptyBody: '调用、充值、兑换和调整入账后显示在这里。',
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    journal: typeof texts;
  }
}
