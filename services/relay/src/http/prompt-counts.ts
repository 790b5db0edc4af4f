import { Injectable } from '@nestjs/common';
import { Host } from '@tollgate/chassis';
import { isPlainObject, type JsonObject } from '@tollgate/providers';
import type { RelayCall } from '../call/relay-call.js';
import { Admission } from '../admission/admission.js';
import { mediaTokens } from '../usage/media-tokens.js';
import { countedPrompt } from '../usage/counted-prompt.js';
import { boundsOf } from '../usage/request-bound.js';
import { TokenCounter } from '../usage/token-counter.js';

export type CountedEndpoint = 'messages' | 'gemini';

/** The model request to count: Google's clients may wrap the whole request they would make. */
const wrapped = ({ json }: RelayCall): JsonObject => {
  const { generateContentRequest: camel, generate_content_request: snake } = json;
  const inner = camel ?? snake;
  return isPlainObject(inner) ? inner : json;
};

/** Counts the tokens of prompts without calling an upstream: with our own tokenizer, media by estimate. */
@Injectable()
export class PromptCounts {
  constructor(
    private readonly admission: Admission,
    private readonly tokens: TokenCounter,
    private readonly host: Host,
  ) {}

  /**
   * The reply in the format of the endpoint. Throws the same refusal with which a model call would be answered before
   * it costs anything.
   */
  async answer(call: RelayCall, endpoint: CountedEndpoint): Promise<object> {
    const json = endpoint === 'gemini' ? wrapped(call) : call.json;
    const readings = await this.admission.check({ ...call, json });
    const convertsPictureTexts = endpoint === 'messages' && readings.convertsPictureTexts;
    const rules = { model: call.model, looks: this.host.env.GET_MEDIA_TOKEN };
    const { image, audio } = mediaTokens(boundsOf(json, endpoint), rules, convertsPictureTexts);
    const prompt = countedPrompt({ json, endpoint, convertsPictureTexts }, call.model);
    const text = prompt.added + (await this.tokens.count(prompt.text, call.model, call.user.id));
    const total = text + image + audio;
    if (endpoint === 'messages') return { input_tokens: total };
    const details = [
      { modality: 'TEXT', tokenCount: text },
      { modality: 'IMAGE', tokenCount: image },
      { modality: 'AUDIO', tokenCount: audio },
    ];
    return { totalTokens: total, promptTokensDetails: details.filter(({ tokenCount }) => tokenCount > 0) };
  }
}
