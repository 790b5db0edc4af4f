import type { Log, LogOther } from '@tollgate/contracts/api/log';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../app/i18n/index.js';
import { plain } from './log-facts.js';

/** All that the server says of most requests: their ratios, or their price. */
const RATIOS = /^(模型倍率 [\d.]+，补全倍率 [\d.]+|模型价格 [\d.]+)，分组倍率 [\d.]+$/;

/** The numbers of that sentence, as the row has them; undefined where the sentence says more, or the row less. */
function numbersOf(content: string, { model_price: price = -1, ...other }: LogOther) {
  const { model_ratio: ratio, completion_ratio: completion, group_ratio: group } = other;
  if (!RATIOS.test(content) || group === undefined) return undefined;
  if (price >= 0) return { key: 'words.call', price: plain(price), group: plain(group) } as const;
  if (ratio === undefined || completion === undefined) return undefined;
  const values = { ratio: plain(ratio), completion: plain(completion), group: plain(group) };
  return { key: 'words.tokens', ...values } as const;
}

/** What the server wrote about a row, which it does in Chinese whoever reads it; in another language what the row itself tells of it. */
export function LogWords({ log, other }: { log: Log; other: LogOther }) {
  const { t } = useTranslation('log');
  const { key, ...values } = numbersOf(log.content, other) ?? {};
  if (key && currentLanguage() !== 'zh') return t(key, values);
  return <span lang="zh-CN">{log.content}</span>;
}
