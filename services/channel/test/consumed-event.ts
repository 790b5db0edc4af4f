import { type EventOf, type RequestConsumed, requestConsumed } from '@tollgate/contracts';
import { v7 as uuidv7 } from 'uuid';

/** The event of a finished request, with the given fields; its id is created as of `atMs`. */
export function consumed(data: Partial<RequestConsumed> = {}, atMs = Date.now()): EventOf<typeof requestConsumed> {
  return {
    specversion: '1.0',
    id: uuidv7({ msecs: atMs }),
    type: 'request-consumed',
    source: 'relay',
    subject: '1',
    time: new Date(atMs).toISOString(),
    datacontenttype: 'application/json',
    dataversion: requestConsumed.version,
    data: {
      userId: 1,
      tokenId: 1,
      channelId: 1,
      model: 'gpt-4o-mini',
      group: 'default',
      endpoint: 'chat',
      usage: { semantics: 'openai', inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 },
      usageSource: 'upstream',
      priceVersion: 'p',
      quota: 1,
      outcome: 'completed',
      attempts: [],
      replicaEpoch: 'test',
      isStream: false,
      startedAt: new Date(atMs).toISOString(),
      durationMs: 1,
      ...data,
    },
  };
}
