import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';
import { normalise, sensitivePattern, visibleOf } from './sensitive-words.js';

/** Characters that are normalised at once: the normal form of some is eighteen times as long. */
const WINDOW = 64 * 1024;

/** Code and message with which calls are told of sensitive words. */
export const WORDS_DETECTED = { code: 'sensitive_words_detected', message: 'sensitive words detected' } as const;

export interface ReplyCheck {
  /** Whether the text contains a word of the list. */
  finds(text: string): boolean;
  /** Characters before the new text to check again, since a word may have begun there. */
  overlap: number;
  /** Pieces of a stream that are held back while the text after them is checked. */
  heldPieces: number;
}

/** The operator's list of sensitive words, and where it applies. */
@Injectable()
export class WordChecks {
  private source: readonly string[] = [];
  private pattern: RegExp | undefined;
  private longest = 0;

  constructor(private readonly options: OptionStore) {}

  findsInPrompt(textOf: () => string): boolean {
    if (!this.options.get('CheckSensitiveEnabled') || !this.options.get('CheckSensitiveOnPromptEnabled')) return false;
    const pattern = this.words();
    return pattern !== undefined && this.findsIn(visibleOf(textOf()), pattern);
  }

  private findsIn(text: string, pattern: RegExp): boolean {
    for (let at = 0; at < text.length; at += WINDOW)
      if (pattern.test(normalise(text.slice(Math.max(0, at - this.longest), at + WINDOW)))) return true;
    return false;
  }

  /** The check for replies; `undefined` when replies are not checked. */
  ofReplies(): ReplyCheck | undefined {
    const { options } = this;
    const isOn = options.get('CheckSensitiveEnabled') && options.get('CheckSensitiveOnCompletionEnabled');
    const pattern = isOn && options.get('StopOnSensitiveEnabled') ? this.words() : undefined;
    if (!pattern) return undefined;
    return {
      finds: (text) => pattern.test(normalise(text)),
      overlap: this.longest,
      heldPieces: options.get('StreamCacheQueueLength'),
    };
  }

  /** The pattern is rebuilt only when the list changes. */
  private words(): RegExp | undefined {
    const source = this.options.get('SensitiveWords');
    if (source !== this.source) {
      this.source = source;
      this.pattern = sensitivePattern(source);
      // Invisible characters may stand between any two characters of a word, and a letter may be written as several.
      this.longest = 4 * Math.max(0, ...source.map((word) => normalise(word).length));
    }
    return this.pattern;
  }
}
