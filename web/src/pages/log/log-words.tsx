import type { Log, LogOther } from '@tollgate/contracts/api/log';
import type { ReadLogText } from '@tollgate/contracts/log-texts';
import { readLogText } from '@tollgate/contracts/log-texts';
import { useTranslation } from 'react-i18next';
import { formatDollars, formatUnits } from '../../components/money/quota-format.js';
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

/** An amount of quota as texts of the log have it: `＄1.000000 额度`, or `500000 点额度`. */
const AMOUNT = /^(＄)?(-?[\d.]+) \S+$/;

/**
 * What to show instead of the text of a row, which the server writes in Chinese for all readers; `undefined` where it is shown as it is.
 */
function useTranslated() {
  const { t, i18n } = useTranslation('log');
  const amount = (text = ''): string => {
    const [, currency, number = ''] = AMOUNT.exec(text) ?? [];
    return currency ? formatDollars(number) : t('units', { n: formatUnits(Number(number)) });
  };
  const say = ({ key, values }: ReadLogText): string => {
    const { quota, before, after, ...others } = values;
    const amounts = { quota: amount(quota), before: amount(before), after: amount(after) };
    return t(`said.${key}`, { ...amounts, ...others });
  };
  return (content: string): string | undefined => {
    if (i18n.language === 'zh') return undefined;
    const read = readLogText(content);
    return read && say(read);
  };
}

/** The text of a row in a cell, which may be too narrow for it. */
export function LogText({ content }: Pick<Log, 'content'>) {
  const translated = useTranslated()(content);
  return (
    <span title={translated ?? content} lang={translated === undefined ? 'zh-CN' : undefined}>
      {translated ?? content}
    </span>
  );
}

/** The text of a row in its details. Those of requests are rebuilt from the numbers of the row where possible. */
export function LogWords({ log: { content }, other }: { log: Log; other: LogOther }) {
  const { t, i18n } = useTranslation('log');
  const translated = useTranslated()(content);
  const { key, ...values } = numbersOf(content, other) ?? {};
  if (key && i18n.language !== 'zh') return t(key, values);
  return translated ?? <span lang="zh-CN">{content}</span>;
}
