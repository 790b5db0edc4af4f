export const texts = {
  title: '热门模型',
  purpose: '本站可以使用的常见模型，按系列和用途列出。点击名称查看价格。',
  all: '查看全部模型和价格',
  empty: '目前没有可用的常见模型',
  emptyBody: '有渠道提供知名的模型后，会按用途显示在这里。',
  more: '另有 {{count}} 个，见模型列表',
  family: {
    gpt: { name: 'GPT', use: '通用对话、写作和代码，支持工具调用和图片输入。' },
    reasoning: { name: 'OpenAI o 系列', use: '先思考再回答，适合数学、代码和多步推理。' },
    claude: { name: 'Claude', use: '长文档、写作和代码，支持工具调用和图片输入。' },
    gemini: { name: 'Gemini', use: '上下文很长，支持图片、声音和视频输入。' },
    deepseek: { name: 'DeepSeek', use: '价格低的对话和推理模型。' },
    qwen: { name: 'Qwen', use: '中文表现好的通用模型。' },
    llama: { name: 'Llama', use: '开放权重的通用模型。' },
    grok: { name: 'Grok', use: '通用对话和推理。' },
    picture: { name: '图片', use: '按文字生成或修改图片。' },
    sound: { name: '声音', use: '语音合成、语音识别和音乐。' },
    embedding: { name: '向量与重排', use: '检索和问答系统使用的文本向量和排序。' },
  },
} as const;

declare module 'i18next' {
  interface ResourceNamespaceMap {
    'popular-models': typeof texts;
  }
}
