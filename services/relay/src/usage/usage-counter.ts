import { Injectable } from '@nestjs/common';
import type { AppliedPrice, RequestConsumed, Usage } from '@tollgate/contracts';
import { rate } from '@tollgate/pricing';
import type { ReplyStream, ReplyText } from '@tollgate/providers';
import { noUsage } from '../pipeline/outcome.js';
import type { RelayCall } from '../pipeline/relay-call.js';
import { promptText } from './prompt-text.js';
import { roughTokens, TokenCounter } from './token-counter.js';

const TOOL_CALL_TOKENS = 7;

export interface Counted {
  usage: Usage;
  usageSource: RequestConsumed['usageSource'];
}

/** What is known of an answer when it is counted. */
export interface Answer {
  /** The upstream's closing statement. */
  stated: Usage | undefined;
  /** What the upstream said of the prompt before. */
  prompt?: Usage | undefined;
  text(): ReplyText;
}

/** What a request has used: the upstream's numbers, or our own count of what was sent and received. */
@Injectable()
export class UsageCounter {
  private readonly roughPrompts = new WeakMap<RelayCall, number>();

  constructor(private readonly tokens: TokenCounter) {}

  /** The upstream's numbers, else our own count of what was sent and received, marked as such. */
  async count(call: RelayCall, price: AppliedPrice, { stated, prompt, text }: Answer): Promise<Counted> {
    if (stated && isRateable(stated, price)) return { usage: stated, usageSource: 'upstream' };
    const reply = text();
    const [sent, received] = await Promise.all([
      prompt ?? this.countPrompt(call),
      this.tokens.count(reply.text, call.model),
    ]);
    const outputTokens = received + Math.ceil(reply.droppedCharacters / 3) + TOOL_CALL_TOKENS * reply.toolCalls;
    return { usage: { ...sent, outputTokens }, usageSource: 'estimated' };
  }

  /** Of an answer that nobody waited for. */
  async countPrompt(call: RelayCall): Promise<Usage> {
    return { ...noUsage, inputTokens: await this.tokens.count(promptText(call.json), call.model) };
  }

  /** Cheap figures for records of a stream that still runs: replaced at its end, booked only if we die before. */
  sketch(call: RelayCall, price: AppliedPrice, stream: ReplyStream): Counted {
    const stated = stream.usage();
    if (stated && isRateable(stated, price)) return { usage: stated, usageSource: 'upstream' };
    const { text, droppedCharacters } = stream.text();
    const outputTokens = roughTokens(text) + Math.ceil(droppedCharacters / 3);
    return { usage: { ...(stream.promptUsage() ?? this.sketchPrompt(call)), outputTokens }, usageSource: 'estimated' };
  }

  /** The prompt does not change while the reply grows. */
  sketchPrompt(call: RelayCall): Usage {
    let inputTokens = this.roughPrompts.get(call);
    if (inputTokens === undefined) {
      inputTokens = roughTokens(promptText(call.json));
      this.roughPrompts.set(call, inputTokens);
    }
    return { ...noUsage, inputTokens };
  }
}

/** Numbers no quota can hold are not believed. */
function isRateable(usage: Usage, price: AppliedPrice): boolean {
  try {
    rate(usage, price);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
