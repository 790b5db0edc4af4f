import type { Json, JsonObject } from '../adapter.js';
import { isObject, parseObject } from '../json/json.js';
import { maskSecrets } from '../faults/mask-secrets.js';

const MASK = '***';
/** Texts of one frame that are masked at most, many more than any error has: masking one takes far longer than reading it. */
const MOST_TEXTS = 100;

/**
 * A frame of the upstream without what its errors say of the provider account: all of an event of type `error`, and of any other event what
 * stands in a member `error`, such as that of an answer that failed. Only if there is something to mask: everything else goes on as it came.
 */
export function maskedError(frame: Buffer, secrets: readonly string[]): Buffer {
  // Sound is most of what comes, and is not parsed for this.
  if (!frame.includes('"error"')) return frame;
  const event = parseObject(frame.toString('utf8'));
  if (!event) return frame;
  const errors = new ErrorTexts(secrets);
  const told = errors.maskedIn(event, event.type === 'error');
  return errors.areChanged ? Buffer.from(JSON.stringify(told)) : frame;
}

class ErrorTexts {
  areChanged = false;
  private texts = 0;

  constructor(private readonly secrets: readonly string[]) {}

  maskedIn(object: JsonObject, isError: boolean): JsonObject {
    return Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, this.masked(value, name, isError || name === 'error')]),
    );
  }

  private masked(value: Json | undefined, name: string, isError: boolean): Json | undefined {
    if (typeof value === 'string') return isError ? this.maskedText(value, name) : value;
    if (Array.isArray(value)) return value.map((item) => this.masked(item, '', isError) ?? null);
    return isObject(value) ? this.maskedIn(value, isError) : value;
  }

  private maskedText(text: string, name: string): string {
    this.texts += 1;
    // A client finds its own event by the id, which may look like a key.
    if (name === 'event_id' && !this.secrets.some((secret) => text.includes(secret))) return text;
    const told = this.texts > MOST_TEXTS ? MASK : maskSecrets(text, this.secrets);
    this.areChanged ||= told !== text;
    return told;
  }
}
