import { parseObject } from '../json.js';
import { maskSecrets } from '../mask-secrets.js';

const MASK = '***';
/** Texts of one error that are looked at, many more than any has: masking one takes far longer than reading it. */
const MOST_TEXTS = 100;

/**
 * A frame of the upstream without what its error says of the provider account. Only an event of type `error` is changed, and only if there
 * is something to mask: everything else goes on as it came.
 */
export function maskedError(frame: Buffer, secrets: readonly string[]): Buffer {
  // Sound is most of what comes, and is not parsed for this.
  if (!frame.includes('"error"')) return frame;
  const event = parseObject(frame.toString('utf8'));
  if (event?.type !== 'error') return frame;
  let texts = 0;
  let isChanged = false;
  const masked = JSON.stringify(event, (name, value: unknown) => {
    if (typeof value !== 'string') return value;
    texts += 1;
    // A client finds its own event by the id, which may look like a key.
    const isId = name === 'event_id' && !secrets.some((secret) => value.includes(secret));
    const told = isId ? value : texts > MOST_TEXTS ? MASK : maskSecrets(value, secrets);
    isChanged ||= told !== value;
    return told;
  });
  return isChanged ? Buffer.from(masked) : frame;
}
