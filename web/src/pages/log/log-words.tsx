import type { Log, LogOther } from '@tollgate/contracts/api/log';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../../app/i18n/index.js';
import { plain } from './log-facts.js';

/** The server's text for most requests: only their ratios, or their price. */
const RATIOS = /^(模型倍率 [\d.]+，补全倍率 [\d.]+|模型价格 [\d.]+)，分组倍率 [\d.]+$/;

/** The numbers of that text, taken from the row; `undefined` when the text says more or the row lacks a number. */
function numbersOf(content: string, { model_price: price = -1, ...other }: LogOther) {
  const { model_ratio: ratio, completion_ratio: completion, group_ratio: group } = other;
  if (!RATIOS.test(content) || group === undefined) return undefined;
  if (price >= 0) return { key: 'words.call', price: plain(price), group: plain(group) } as const;
  if (ratio === undefined || completion === undefined) return undefined;
  const values = { ratio: plain(ratio), completion: plain(completion), group: plain(group) };
  return { key: 'words.tokens', ...values } as const;
}

/**
 * The text of a row, which the server writes in Chinese for all readers. In other languages it is rebuilt from the
 * numbers of the row where possible.
 */
export function LogWords({ log, other }: { log: Log; other: LogOther }) {
  const { t } = useTranslation('log');
  const { key, ...values } = numbersOf(log.content, other) ?? {};
  if (key && currentLanguage() !== 'zh') return t(key, values);
  return <span lang="zh-CN">{log.content}</span>;
}
