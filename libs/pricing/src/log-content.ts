import type { AppliedPrice, RequestConsumed, Searches, Usage } from '@tollgate/contracts';
import { searchUnits } from './call-prices.js';
import { quotaToUsd } from './format.js';
import { toUnits } from './kind-prices.js';
import { isPerCall } from './price.js';
import { pricedName } from './ratio-book.js';

/** Two decimals as in documented log texts, which clients parse: an exact tie such as 0.125 is rounded to the even neighbour, 0.12. */
function twoDecimals(value: number): string {
  const isTie = Number.isInteger(value * 8) && (value * 8) % 2 !== 0;
  const hundredths = Math.floor(value * 100);
  return isTie ? ((hundredths + (hundredths % 2)) / 100).toFixed(2) : value.toFixed(2);
}

type Consumption = Pick<RequestConsumed, 'endpoint' | 'model' | 'usage' | 'task'> & { price: AppliedPrice };

/** The `content` of a consumption row. */
export function consumptionContent({ endpoint, model, usage, task, price }: Consumption): string {
  if (task) return taskContent(price, task.action, task.upstreamId);
  const { audioInputTokens = 0, audioOutputTokens = 0, imageInputTokens = 0 } = usage;
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + imageInputTokens;
  const isEmpty = prompt + usage.outputTokens + audioInputTokens + audioOutputTokens === 0;
  // In the reference, rows of this dialect state their ratios in `other` only.
  if (endpoint === 'messages') return isEmpty ? '（可能是上游出错）' : '';
  const name = pricedName(model);
  const gizmo = name === model ? '' : `，模型 ${model}`;
  const timeout = isEmpty ? '（可能是上游超时）' : '';
  return [`${ratios(price, statesSoundRatios({ endpoint, usage }))}${gizmo}${timeout}`, ...extras(usage, price)].join(
    ', ',
  );
}

/** Texts for what is charged per call: pictures, and searches with their cost in USD. */
function extras({ pictures, searches }: Usage, price: AppliedPrice): string[] {
  const parts = pictures ? [`大小 ${pictures.size}, 品质 ${pictures.quality}`] : [];
  const { web = 0, webContext, file = 0, google = 0 } = searches ?? {};
  const cost = (of: Searches): string => quotaToUsd(toUnits(searchUnits(price, of)), price.quotaPerUnit, 6);
  const size = webContext ? `，上下文大小 ${webContext}` : '';
  if (web > 0) parts.push(`Web Search 调用 ${web} 次${size}，调用花费 $${cost({ web, webContext })}`);
  if (google > 0) parts.push(`Web Search 调用 ${google} 次，调用花费 $${cost({ google })}`);
  if (file > 0) parts.push(`File Search 调用 ${file} 次，调用花费 $${cost({ file })}`);
  return parts;
}

/** Whether a row states the audio ratios: always in realtime, elsewhere when sound was used. */
export const statesSoundRatios = ({ endpoint, usage }: Pick<RequestConsumed, 'endpoint' | 'usage'>): boolean =>
  endpoint === 'realtime' || (usage.audioInputTokens ?? 0) + (usage.audioOutputTokens ?? 0) > 0;

/**
 * A model without audio prices charges audio like text. The row then has ratios whose product gives the completion
 * ratio.
 */
export function soundRatios(price: AppliedPrice): { input: number; output: number } {
  if (isPerCall(price)) return { input: 0, output: 0 };
  const { audioRatio, audioCompletionRatio = 1, completionRatio } = price;
  return audioRatio === undefined
    ? { input: 1, output: completionRatio }
    : { input: audioRatio, output: audioCompletionRatio };
}

function ratios(price: AppliedPrice, isSound: boolean): string {
  const group = `分组倍率 ${twoDecimals(price.groupRatio)}`;
  if (isPerCall(price)) return `模型价格 ${twoDecimals(price.modelPrice)}，${group}`;
  const text = `模型倍率 ${twoDecimals(price.modelRatio)}，补全倍率 ${twoDecimals(price.completionRatio)}`;
  if (!isSound) return `${text}，${group}`;
  const { input, output } = soundRatios(price);
  const audio = `音频倍率 ${twoDecimals(input)}，音频补全倍率 ${twoDecimals(output)}`;
  return `${text}，${audio}，${group}`;
}

/** The `content` of a row for a drawing or creative task; actions without an upstream id (face swap, songs) omit it. */
function taskContent(price: Pick<AppliedPrice, 'modelPrice' | 'groupRatio'>, action: string, upstreamId = ''): string {
  const text = `模型固定价格 ${twoDecimals(price.modelPrice)}，分组倍率 ${twoDecimals(price.groupRatio)}，操作 ${action}`;
  return upstreamId === '' ? text : `${text}，ID ${upstreamId}`;
}
