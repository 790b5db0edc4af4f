export const texts = {
  title: '管理兑换码',
  purpose: '兑换码把额度交给拿到它的人，每个只能兑换一次。',
  add: '添加兑换码',
  create: '创建新的兑换码',
  edit: '更新兑换码信息',
  editOf: '更新兑换码信息：{{name}}',
  copySelected: '复制所选兑换码到剪贴板',
  selectOne: '请至少选择一个兑换码！',
  created: '兑换码创建成功！',
  updated: '兑换码更新成功！',
  sums: { of: '{{count}} 个，共 {{amount}}' },
  search: {
    keyword: '搜索关键字',
    keywordHint: '关键字(id或者名称)',
    status: '状态',
    all: '全部状态',
    chip: { keyword: 'ID 为「{{value}}」，或名称以「{{value}}」开头', status: '状态：{{value}}' },
  },
  column: {
    id: 'ID',
    name: '名称',
    status: '状态',
    quota: '额度',
    created: '创建时间',
    expires: '过期时间',
    usedBy: '兑换人ID',
    redeemed: '兑换时间',
  },
  none: '无',
  usedHint: '已使用的兑换码不能再改变',
  editHint: '只有未使用的兑换码可以编辑',
  codeOf: '兑换码「{{name}}」',
  empty: { title: '还没有兑换码', body: '生成一批兑换码，用户在钱包页面输入后得到其中的额度。' },
  delete: { title: '确定是否要删除此兑换码？', consequence: '删除后无法再兑换。已兑换的额度和账目保留。' },
  done: {
    title: '兑换码创建成功',
    body: '已生成 {{count}} 个兑换码，是否下载？文件中每行一个。',
    download: '下载',
    copy: '复制全部',
  },
  form: {
    name: '名称',
    noName: '请输入名称',
    nameHint: '1 到 20 个字符；留空则以额度命名',
    longName: '名称最多 {{max}} 个字符，现在 {{now}} 个',
    quota: '额度',
    badQuota: '请输入大于 0 的整数',
    tooDear: '{{count}} 个兑换码每个最多 {{most, integer}}，因为一批的总额度最多 {{total, integer}}',
    count: '生成数量',
    badCount: '请输入 1 到 {{max}} 之间的整数',
    product: '{{count}} × {{each}} = {{total}}',
    expiry: '过期时间',
    expiryHint: '格式 YYYY-MM-DD HH:mm:ss，时区 {{zone}}；留空为永不过期',
    badExpiry: '过期时间格式错误！',
  },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    redemption: typeof texts;
  }
}
