export const texts = {
  oidc: {
    discover: '获取 OIDC 配置',
    address: 'Well-Known URL 必须以 http:// 或 https:// 开头',
    found: '已填入 OIDC 配置，请检查后保存',
    register: '主页链接填 {{home}}，重定向 URL 填 {{callback}}',
  },
  info: {
    version: '当前版本',
    started: '启动时间',
    check: '检查更新',
    latest: '已是最新版本：{{tag}}',
    newer: '新版本：{{tag}}',
    notes: '没有更新说明',
    details: '详情',
  },
} as const;
