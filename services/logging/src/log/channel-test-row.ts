import {
  type AppliedPrice,
  type channelTested,
  completionTokensOf,
  type EventOf,
  type PriceDocument,
  promptTokensOf,
  type Usage,
  LogType,
} from '@tollgate/contracts';
import type { LogOther } from '@tollgate/contracts/api/log';
import { logText } from '@tollgate/contracts/log-texts';
import { storableText, unixSeconds } from '@tollgate/chassis';
import { isPerCall, priceFor, testUnits } from '@tollgate/pricing';
import { ratios, type RequestDraft } from './request-row.js';

type ChannelTest = EventOf<typeof channelTested>;

/** The first user, to whom rows of channel tests belong. */
export const TESTER = 1;
const TEXT = logText('channel-test', {});
/** A test is a few tokens long: a larger number reported by an upstream cannot be a count of tokens. */
const MOST_TOKENS = 1_000_000;
const NO_FIRST_TOKEN = -1000;

/**
 * A consumption row that nobody is charged for; `undefined` for a test that leaves no row. `group` is the tester's own
 * group.
 */
export function toTestDraft(
  { id, time, data }: ChannelTest,
  group: string,
  prices: PriceDocument | undefined,
): RequestDraft | undefined {
  if (!data.success || !data.answer) return undefined;
  const tokens = tokensOf(data.answer.usage);
  // Without the group's ratio, and with cached tokens counted like all others.
  const price = prices && priceFor(data.model, '', { ...prices, groupRatio: {} }, { acceptUnset: false });
  return {
    eventId: id,
    createdAt: unixSeconds(time),
    type: LogType.consume,
    userId: TESTER,
    content: TEXT,
    request: {
      modelName: storableText(data.model),
      quota: testUnits(tokens, price),
      promptTokens: tokens?.prompt ?? 0,
      completionTokens: tokens?.completion ?? 0,
      useTime: Math.floor(data.responseTimeMs / 1000),
      isStream: false,
      channelId: data.channelId,
      tokenId: 0,
      tokenName: TEXT,
      group,
      other: otherOf(data.model, data.answer.upstreamModel, prices, price),
    },
  };
}

function otherOf(
  model: string,
  sent: string,
  prices: PriceDocument | undefined,
  price: AppliedPrice | undefined,
): LogOther {
  return {
    ...(price && { ...ratios(price), ...(!isPerCall(price) && { cache_ratio: 1 }) }),
    cache_tokens: 0,
    frt: NO_FIRST_TOKEN,
    ...(sent !== model && { is_model_mapped: true, upstream_model_name: storableText(sent) }),
    ...(prices && price && { price_version: prices.id }),
    channel_test: true,
  };
}

function tokensOf(usage: Usage | undefined): { prompt: number; completion: number } | undefined {
  if (!usage) return undefined;
  const tokens = { prompt: promptTokensOf(usage), completion: completionTokensOf(usage) };
  return Math.max(tokens.prompt, tokens.completion) > MOST_TOKENS ? undefined : tokens;
}
