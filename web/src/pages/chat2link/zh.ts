export const texts = {
  stuck: '没有自动打开时，请点击下面的按钮。',
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    chat2link: typeof texts;
  }
}
