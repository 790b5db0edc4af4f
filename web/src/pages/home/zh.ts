export const texts = {
  hello: '你好，{{name}}',
  tagline: '一个地址、一个密钥，调用所有模型；每一次调用都记账，每一笔都查得到。',
  balanceTitle: '我的账户',
  balance: '当前余额',
  used: '历史消耗',
  requests: '请求次数',
  account: '账户余额',
  allTime: '账户累计',
  topUp: '去充值',
  steps: '接下来要做什么',
  sample: '用令牌发出第一个请求（把 sk-... 换成你的令牌）',
  step: {
    done: '已完成',
    channel: { title: '添加渠道', why: '渠道是上游模型服务的账号。没有渠道，任何请求都无法转发。', action: '添加渠道' },
    price: { title: '检查模型价格', why: '没有价格或倍率的模型会被拒绝调用。', action: '查看价格设置' },
    token: {
      title: '创建令牌',
      why: '令牌是应用程序调用本系统的密钥，可以限制额度、有效期和可用模型。',
      action: '创建令牌',
    },
    request: {
      title: '发出第一个请求',
      why: '请求完成后，使用日志会显示用量和费用，余额随之更新。',
      action: '在 Playground 中发送',
    },
  },
  demo: {
    action: '使用演示渠道',
    why: '没有上游密钥也能试用：内置的演示服务会回答请求，但它不是真实模型。有了真实渠道后请删除它。',
    done: '演示渠道已创建。它的回答不是真实模型的回答，有了真实渠道后请删除它。',
  },
  notice: '系统公告',
  loadFailed: '加载首页内容失败...',
  content: '首页内容',
  on: '已启用',
  off: '未启用',
  system: {
    title: '系统状况',
    info: '系统信息',
    config: '系统配置',
    name: '系统名称',
    version: '版本',
    licence: '许可证',
    licenceName: 'MIT',
    started: '启动时间',
  },
  flag: {
    email_verification: '邮箱验证',
    github_oauth: 'GitHub 身份验证',
    oidc_enabled: 'OIDC 身份验证',
    wechat_login: '微信身份验证',
    turnstile_check: 'Turnstile 用户校验',
    telegram_oauth: 'Telegram 身份验证',
    linuxdo_oauth: 'Linux DO 身份验证',
  },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    home: typeof texts;
  }
}
