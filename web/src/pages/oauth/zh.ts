export const texts = {
  title: '第三方登录',
  working: '处理中...',
  retrying_other: '出现错误，第 {{count}} 次重试中...',
  signedIn: '登录成功！',
  bound: '绑定成功！',
  failed: '操作失败，重定向至登录界面中...',
  nothing: '这个地址用于第三方登录返回本站，请从登录页面开始。',
  again: '重新授权',
  back: '返回登录',
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    oauth: typeof texts;
  }
}
