export const texts = {
  title: '搜索与跳转',
  hint: '页面、操作、设置项、渠道、用户、令牌或请求 ID',
  empty: '输入关键词开始搜索',
  none: '没有匹配「{{text}}」的结果',
  failed: '部分来源查询失败，其他结果仍然有效',
  searching: '正在搜索',
  group: {
    recent: '最近使用',
    page: '页面',
    action: '操作',
    setting: '设置项',
    request: '请求',
    channel: '渠道',
    user: '用户',
    token: '令牌',
  },
  action: {
    addChannel: '添加渠道',
    addToken: '添加令牌',
    addUser: '添加用户',
    failures: '查看错误日志',
    light: '切换到浅色外观',
    dark: '切换到深色外观',
    system: '外观跟随系统',
    zh: '切换到中文',
    en: '切换到英文',
  },
  request: '查看请求 {{id}}',
  keys: {
    title: '快捷键',
    anywhere: '任何页面',
    table: '表格',
    form: '表单',
    playground: 'Playground',
    palette: '打开搜索',
    help: '显示快捷键',
    close: '关闭抽屉、对话框或菜单',
    newTab: '在新标签页打开搜索结果',
    move: '移到下一行或上一行',
    open: '打开当前行',
    select: '选择当前行',
    expand: '展开或收起当前行',
    more: '打开当前行的更多操作',
    filter: '回到筛选',
    submit: '提交',
    send: '发送',
    line: '换行',
  },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    command: typeof texts;
  }
}
