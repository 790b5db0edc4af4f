/** Multiplier of every price for users and tokens of the group. */
export const defaultGroupRatio: Record<string, number> = {
  default: 1,
  vip: 1,
  svip: 1,
};

/** Groups any user may choose for a token, with the name the console shows. */
export const defaultUserUsableGroups: Record<string, string> = {
  default: '默认分组',
  vip: 'vip分组',
};

/** `{key}` is replaced with the key of a token, `{address}` with this server's encoded address. */
export const defaultChats: Record<string, string>[] = [
  { 'ChatGPT Next Web 官方示例': 'https://app.nextchat.dev/#/?settings={"key":"{key}","url":"{address}"}' },
  {
    'Lobe Chat 官方示例':
      'https://chat-preview.lobehub.com/?settings={"keyVaults":{"openai":{"apiKey":"{key}","baseURL":"{address}/v1"}}}',
  },
  {
    'AI as Workspace':
      'https://aiaw.app/set-provider?provider={"type":"openai","settings":{"apiKey":"{key}","baseURL":"{address}/v1","compatibility":"strict"}}',
  },
  { 'AMA 问天': 'ama://set-api-key?server={address}&key={key}' },
  { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
];
