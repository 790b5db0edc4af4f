export const texts = {
  title: '用户登录',
  username: '用户名/邮箱',
  password: '密码',
  submit: '登录',
  missing: '请输入用户名和密码！',
  done: '登录成功！',
  expired: '未登录或登录已过期，请重新登录',
  defaultPassword: '您正在使用默认密码！请立刻修改默认密码！',
  passwordOff: '管理员关闭了密码登录，请使用第三方账户登录。',
  noAccount: '没有账户？',
  toRegister: '点击注册',
  forgotten: '忘记密码？',
  toReset: '点击重置',
  passkey: '使用通行密钥登录',
  passkeyFailed: '浏览器无法在此使用通行密钥。通行密钥只能在本站的正式地址（https）上使用。',
  step: {
    title: '两步验证',
    intro: '密码正确，请再次验证您的身份。',
    code: '动态验证码或恢复码',
    codeHint: '验证器应用中的 6 位数字，每个只能使用一次',
    recovery: '恢复码',
    recoveryHint: '启用时显示的恢复码之一，每个只能使用一次',
    missing: '请输入验证码',
    submit: '验证',
    lost: '手机和恢复码都丢失了？请联系管理员移除两步验证。',
    back: '返回登录',
  },
  thirdParty: '第三方登录',
  provider: {
    github: '使用 GitHub 登录',
    oidc: '使用 OIDC 登录',
    linuxdo: '使用 LinuxDO 登录',
    wechat: '使用微信登录',
  },
  wechat: {
    title: '微信扫码登录',
    qrcode: '微信公众号二维码',
    hint: '微信扫码关注公众号，输入「验证码」获取验证码（三分钟内有效）',
    submit: '确定',
    code: '验证码',
  },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    login: typeof texts;
  }
}
