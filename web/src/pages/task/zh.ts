export const texts = {
  title: '任务日志',
  purpose: '每一次音乐与歌词任务及其结果。失败的任务会退回费用。时间按 {{zone}} 显示。',
  seconds: '{{n}} 秒',
  record: '任务 {{id}} 的完整记录',
  column: {
    submitted: '提交时间',
    finished: '结束时间',
    progress: '进度',
    spent: '花费时间',
    channel: '渠道',
    platform: '平台',
    type: '类型',
    id: '任务ID（点击查看详情）',
    status: '任务状态',
    reason: '失败原因',
  },
  type: { MUSIC: '生成音乐', LYRICS: '生成歌词', unknown: '未知' },
  status: {
    SUBMITTING: '正在提交',
    NOT_START: '未启动',
    SUBMITTED: '队列中',
    QUEUED: '排队中',
    IN_PROGRESS: '执行中',
    SUCCESS: '成功',
    FAILURE: '失败',
    UNKNOWN: '未知',
  },
  empty: { title: '{{range}}没有任务', body: '应用程序通过 /suno 接口提交的任务会显示在这里。' },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    task: typeof texts;
  }
}
