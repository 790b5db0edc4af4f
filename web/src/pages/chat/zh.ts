export const texts = {
  facts: '{{place}} · 令牌「<token/>」',
  apart: '在新标签页打开',
  elsewhere: '此聊天程序不能显示在页面里，请单独打开。它会使用令牌「<token/>」。',
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    chat: typeof texts;
  }
}
