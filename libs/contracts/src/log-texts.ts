/**
 * The texts of rows of the usage log that are not written by a call's price, as the documents fix them. The logging service fills the
 * templates in; the console recognises them, to say them in another language. In a file without the schema library, so that the
 * console can import it cheaply. A changed template leaves the rows of before unrecognised.
 */
export const logTexts = {
  // The three gifts at registration have the reference's texts; the other two grants do not exist there.
  'new-user-gift': '新用户注册赠送 {quota}',
  'invitee-gift': '使用邀请码赠送 {quota}',
  'inviter-reward': '邀请用户赠送 {quota}',
  'setup-grant': '系统初始化赠送 {quota}',
  'affiliate-transfer': '邀请奖励划转到余额 {quota}',
  'admin-adjustment': '管理员将用户额度从 {before}修改为 {after}',
  redemption: '通过兑换码充值 {quota}，兑换码ID {id}',
  'top-up': '使用在线充值成功，充值金额: {quota}，支付金额：{money}',
  refund: '管理员退款，订单 {order}，退回额度: {quota}，退款金额：{money}',
  'midjourney-refund': '构图失败 {task}，补偿 {quota}',
  'suno-refund': '异步任务执行失败 {task}，补偿 {quota}',
  'channel-test': '模型测试',
} as const;

export type LogTextKey = keyof typeof logTexts;
type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** The text with its values; amounts of quota as `quotaLogText` writes them. */
export const logText = <Key extends LogTextKey>(
  key: Key,
  values: Readonly<Record<Names<(typeof logTexts)[Key]>, string | number>>,
): string =>
  logTexts[key].replace(/{(\w+)}/g, (_, name: string) => String((values as Record<string, string | number>)[name]));

/** `＄1.000000 额度` or `500000 点额度` */
const QUOTA = String.raw`＄-?\d+\.\d+ 额度|-?\d+ 点额度`;
const patterns: Record<Names<(typeof logTexts)[LogTextKey]>, string> = {
  quota: QUOTA,
  before: QUOTA,
  after: QUOTA,
  id: String.raw`\d+`,
  money: String.raw`-?\d+\.\d+`,
  order: '.+',
  task: '.*',
};

const readers = Object.entries(logTexts).map(([key, text]) => ({
  key: key as LogTextKey,
  pattern: new RegExp(`^${text.replace(/{(\w+)}/g, (_, name) => `(?<${name}>${patterns[name as 'quota']})`)}$`, 's'),
}));

export interface ReadLogText {
  key: LogTextKey;
  values: Readonly<Record<string, string>>;
}

/** Which of the texts this is; `undefined` for any other one. */
export function readLogText(text: string): ReadLogText | undefined {
  for (const { key, pattern } of readers) {
    const found = pattern.exec(text);
    if (found) return { key, values: { ...found.groups } };
  }
  return undefined;
}
