import type { Json, JsonObject } from '../adapter.js';
import { isObject, parseObject } from '../json/json.js';
import { maskSecrets } from '../faults/mask-secrets.js';

const MASK = '***';
/**
 * Texts of a frame that are masked selectively, far more than a real error has. Further ones are replaced as a whole, because masking is
 * slow.
 */
const MOST_TEXTS = 100;

/**
 * Masks what a frame's error reveals about the provider account: in an event of type `error` everything, in other events the member
 * `error`, such as that of a failed answer. A frame without anything to mask is returned unchanged.
 */
export function maskedError(frame: Buffer, secrets: readonly string[]): Buffer {
  // Most frames are audio; this check avoids parsing them.
  if (!frame.includes('"error"')) return frame;
  const event = parseObject(frame.toString('utf8'));
  if (!event) return frame;
  const errors = new ErrorTexts(secrets);
  const maskedEvent = errors.maskedIn(event, event.type === 'error');
  return errors.areChanged ? Buffer.from(JSON.stringify(maskedEvent)) : frame;
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
    // A client recognises its own event by this id, which may look like a key.
    if (name === 'event_id' && !this.secrets.some((secret) => text.includes(secret))) return text;
    const safeText = this.texts > MOST_TEXTS ? MASK : maskSecrets(text, this.secrets);
    this.areChanged ||= safeText !== text;
    return safeText;
  }
}
