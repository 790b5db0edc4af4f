export const texts = { title: '页面不存在', body: '请检查你的浏览器地址是否正确' } as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    'not-found': typeof texts;
  }
}
