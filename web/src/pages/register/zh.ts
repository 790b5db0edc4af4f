export const texts = {
  title: '新用户注册',
  username: '用户名',
  usernameHint: '输入用户名，最长 12 位',
  password: '密码',
  passwordHint: '输入密码，最短 8 位，最长 20 位',
  confirm: '确认密码',
  confirmHint: '再次输入密码',
  email: '邮箱',
  code: '验证码',
  getCode: '获取验证码',
  again: '重新发送 ({{left}})',
  codeSent: '验证码发送成功，请检查你的邮箱！',
  submit: '注册',
  done: '注册成功！',
  haveAccount: '已有账户？',
  toLogin: '点击登录',
  closed: '管理员关闭了新用户注册',
  noPassword: '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
  error: {
    username: '请输入用户名',
    likeEmail: '用户名不能包含 @',
    password: '密码长度不得小于 8 位！',
    confirm: '两次输入的密码不一致',
    email: '请输入邮箱！',
    code: '请输入邮箱验证码！',
  },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    register: typeof texts;
  }
}
