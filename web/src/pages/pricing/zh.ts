export const texts = {
  title: '模型列表',
  purpose: '每个模型在你的分组里要花多少钱。',
  search: '模糊搜索模型名称',
  copySelected: '复制选中模型',
  noneSelected: '先选择要复制的模型',
  perCall: '按次计费',
  perToken: '按量计费',
  available: '您的分组可以使用该模型',
  unavailable: '对您不可用',
  viewGroup: '查看分组 {{group}} 的价格',
  viewing: '当前查看的分组为：{{group}}，倍率为：{{ratio}}',
  unpriced: '未设置价格',
  refused: '未设置价格，不可调用',
  refusedWhy: '管理员设置价格之前，调用会被拒绝；也可以在个人设置中选择接受未设置价格模型',
  none: '无',
  eachMillion: '{{price}} / 1M tokens',
  eachCall: '{{price}} / 次',
  empty: '目前没有可用的模型',
  emptyBody: '渠道提供的模型及其价格会显示在这里。',
  more: '再显示一些（还有 {{count}} 个）',
  moreGroups: '另有 {{count}} 个分组',
  banner: {
    own: '您的默认分组为：{{group}}，分组倍率为：{{ratio}}',
    visitor: '您还未登陆，显示的价格为默认分组倍率: {{ratio}}',
    formula: '按量计费费用 = 分组倍率 × 模型倍率 × （提示token数 + 补全token数 × 补全倍率）/ {{unit}} （单位：美元）',
  },
  column: {
    name: '模型名称',
    available: '可用性',
    type: '计费类型',
    groups: '可用分组',
    modelRatio: '模型倍率',
    completionRatio: '补全倍率',
    groupRatio: '分组倍率',
    prompt: '提示价格',
    completion: '补全价格',
  },
  help: {
    title: '倍率说明',
    model: '模型倍率：每 {{unit}} 单位额度为 1 美元，倍率 1 表示提示价格为每 1M tokens ${{price}}。',
    completion: '补全倍率：补全价格与提示价格之比。',
    group: '分组倍率：按所在分组统一乘上的系数。',
    call: '按次计费的模型没有倍率，每次调用收取固定价格 × 分组倍率。',
  },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    pricing: typeof texts;
  }
}
