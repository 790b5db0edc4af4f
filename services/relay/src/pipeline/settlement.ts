import { Injectable } from '@nestjs/common';
import type { RequestConsumed, Usage } from '@tollgate/contracts';
import { Clock } from '@tollgate/platform';
import { rate } from '@tollgate/pricing';
import type { ReplyStream, ReplyText } from '@tollgate/providers';
import { Spool } from '../spool/spool.js';
import { promptText } from '../usage/prompt-text.js';
import { roughTokens, TokenCounter } from '../usage/token-counter.js';
import type { Granted } from './admission.js';
import { consumptionEvent, type Course, type Ending, noUsage } from './outcome.js';
import type { RelayCall } from './relay-call.js';

const TOOL_CALL_TOKENS = 7;

export interface Counted {
  usage: Usage;
  usageSource: RequestConsumed['usageSource'];
}

/** Turns what happened into the one record of the request, on disk before the client sees the end, and settles the hold by it. */
@Injectable()
export class Settlement {
  constructor(
    private readonly spool: Spool,
    private readonly counter: TokenCounter,
    private readonly clock: Clock,
  ) {}

  /** The upstream's numbers, else our own count of what was sent and received, marked as such. */
  async count(call: RelayCall, stated: Usage | undefined, text: () => ReplyText): Promise<Counted> {
    if (stated) return { usage: stated, usageSource: 'upstream' };
    const reply = text();
    const [inputTokens, outputTokens] = await Promise.all([
      this.counter.count(promptText(call.json), call.model),
      this.counter.count(reply.text, call.model),
    ]);
    const dropped = Math.ceil(reply.droppedCharacters / 3);
    const usage = {
      ...noUsage,
      inputTokens,
      outputTokens: outputTokens + dropped + TOOL_CALL_TOKENS * reply.toolCalls,
    };
    return { usage, usageSource: 'estimated' };
  }

  /** Cheap figures for records of a stream that still runs: replaced at its end, booked only if we die before. */
  sketch(call: RelayCall, stream: ReplyStream): Counted {
    const stated = stream.usage();
    if (stated) return { usage: stated, usageSource: 'upstream' };
    const { text, droppedCharacters } = stream.text();
    const outputTokens = roughTokens(text) + Math.ceil(droppedCharacters / 3);
    const prompt = stream.promptUsage();
    if (prompt) return { usage: { ...prompt, outputTokens }, usageSource: 'estimated' };
    return {
      usage: { ...noUsage, inputTokens: roughTokens(promptText(call.json)), outputTokens },
      usageSource: 'estimated',
    };
  }

  /** Before the first byte. */
  async open(call: RelayCall, granted: Granted, course: Course, counted: Counted): Promise<void> {
    const event = consumptionEvent(call, granted.terms, course, {
      ...counted,
      outcome: 'interrupted',
      durationMs: this.elapsed(call),
    });
    await this.spool.start({ id: call.requestId, event });
  }

  async progress(call: RelayCall, granted: Granted, counted: Counted, firstTokenMs: number | undefined): Promise<void> {
    const { quota, lines } = rate(counted.usage, granted.terms.price);
    const durationMs = Math.round(this.elapsed(call));
    const first = firstTokenMs === undefined ? {} : { firstTokenMs: Math.round(firstTokenMs) };
    await this.spool.progress({ id: call.requestId, data: { ...counted, rating: lines, quota, durationMs, ...first } });
  }

  /** Resolves when the record is on disk. */
  async close(call: RelayCall, granted: Granted, course: Course, ending: Omit<Ending, 'durationMs'>): Promise<void> {
    const event = consumptionEvent(call, granted.terms, course, { ...ending, durationMs: this.elapsed(call) });
    await this.spool.close(event);
    granted.hold.settle(event.data.quota);
  }

  /** A request that gave the client nothing costs nothing, and is logged. */
  async failed(call: RelayCall, granted: Granted, course: Course, error: NonNullable<Ending['error']>): Promise<void> {
    await this.close(call, granted, course, { outcome: 'failed', usage: noUsage, usageSource: 'upstream', error });
  }

  elapsed(call: RelayCall): number {
    return this.clock.monotonic() - call.startedMono;
  }
}
