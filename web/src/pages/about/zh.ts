export const texts = {
  title: '关于',
  product: '{{name}} {{version}}：一个带钱包的 AI 模型网关。',
  loadFailed: '加载关于内容失败...',
  hint: '可在设置页面设置关于内容，支持 HTML & Markdown',
  write: '设置关于内容',
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    about: typeof texts;
  }
}
