export const texts = {
  title: '密码重置',
  intro: '输入账户绑定的邮箱，我们会发送一个重置密码的链接。',
  email: '邮箱地址',
  submit: '提交',
  again: '重试 ({{left}})',
  missing: '请输入邮箱！',
  incomplete: '请输入完整的邮箱地址，例如 name@example.com',
  sent: '重置邮件发送成功，请检查邮箱！如果没有账户使用该邮箱，邮件中会说明；链接 10 分钟内有效。',
  toLogin: '返回登录',
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    reset: typeof texts;
  }
}
