export const texts = {
  title: '审批',
  purpose: '超过限额的调整和退款，以及所有费用修正，需要另一位管理员批准后才会入账。',
  search: { status: '状态', kind: '类型', all: '全部' },
  status: { pending: '待审批', approved: '已批准', refused: '已拒绝', withdrawn: '已撤回', expired: '已过期' },
  kind: { adjustment: '余额调整', 'token-budget': '令牌额度', refund: '订单退款', correction: '费用修正' },
  column: {
    id: '编号',
    kind: '类型',
    status: '状态',
    user: '用户',
    change: '额度变动',
    subject: '对象',
    reason: '原因',
    requester: '申请人',
    created: '申请时间',
    expires: '过期时间',
    decider: '处理人',
    note: '处理说明',
  },
  me: '我',
  severalUsers: '多个用户',
  approve: '批准',
  refuse: '拒绝',
  withdraw: '撤回',
  own: '不能审批自己提交的申请',
  mine: '不能审批涉及自己账户的申请',
  over: '该申请已处理',
  ask: {
    approve: '确定要批准此申请吗？',
    approveBody: '{{kind}}：用户 {{user}} 的额度变动 {{change}}，立即入账，不能撤销。',
    withdraw: '确定要撤回此申请吗？',
    withdrawBody: '撤回后不会入账，需要时可以重新提交。',
  },
  refuseTitle: '拒绝申请 #{{id}}',
  note: '拒绝原因',
  noNote: '请填写拒绝原因',
  done: { approve: '已批准并入账', refuse: '已拒绝', withdraw: '已撤回' },
  correction: {
    title: '费用修正 #{{id}}',
    look: '查看明细',
    requests: '请求数',
    users: '用户数',
    charged: '已收费',
    rerated: '应收费',
    model: '模型',
    channel: '渠道',
    request: '请求',
    rows: '前 {{shown}} 条，共 {{count}} 条',
    digest: '摘要（SHA-256）',
    export: '导出全部（CSV）',
  },
  empty: {
    title: '没有审批申请',
    body: '在系统设置的「双人复核」中设置限额后，超过限额的操作会先到这里。',
    action: '设置限额',
  },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    approval: typeof texts;
  }
}
