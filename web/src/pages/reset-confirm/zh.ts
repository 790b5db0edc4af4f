export const texts = {
  title: '密码重置确认',
  email: '邮箱地址',
  submit: '提交',
  done: '密码重置完成',
  wait: '{{label}} ({{left}})',
  password: '新密码',
  passwordHint: '点击即可复制，此密码只显示这一次。',
  changed: '密码已重置，其他登录都已失效。请登录后修改密码。',
  copied: '新密码已复制到剪贴板：{{password}}',
  copiedAgain: '密码已复制到剪贴板：{{password}}',
  broken: '链接不完整，请使用邮件中的完整链接，或重新申请。',
  toLogin: '前往登录',
  toReset: '重新申请',
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    'reset-confirm': typeof texts;
  }
}
