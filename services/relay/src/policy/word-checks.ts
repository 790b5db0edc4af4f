import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';
import { normalise, sensitivePattern } from './sensitive-words.js';

export interface ReplyCheck {
  /** Whether a text, or what is left of one, has a word of the list. */
  finds(text: string): boolean;
  /** Characters that a word may have begun before what is looked at. */
  overlap: number;
  /** Pieces of a stream that are held back while more is looked at. */
  heldPieces: number;
}

/** The list of sensitive words, and when it applies: options of the operator. */
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

  /** Undefined: replies pass unread. */
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

  /** Built once for each list. */
  private words(): RegExp | undefined {
    const source = this.options.get('SensitiveWords');
    if (source !== this.source) {
      this.source = source;
      this.pattern = sensitivePattern(source);
      // Invisible characters may stand between any two of a word.
      this.longest = 2 * Math.max(0, ...source.map((word) => word.length));
    }
    return this.pattern;
  }
}
