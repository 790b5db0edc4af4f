import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';
import { normalise, sensitivePattern } from './sensitive-words.js';

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
    return this.words()?.test(normalise(textOf())) === true;
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
      // Invisible characters may stand between any two characters of a word.
      this.longest = 2 * Math.max(0, ...source.map((word) => word.length));
    }
    return this.pattern;
  }
}
