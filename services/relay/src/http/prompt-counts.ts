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

/** Google's clients may send the whole request that they would make. */
const wrapped = ({ json }: RelayCall): JsonObject => {
  const { generateContentRequest: camel, generate_content_request: snake } = json;
  const inner = camel ?? snake;
  return isPlainObject(inner) ? inner : json;
};

/** Counts prompts without calling anybody: our own count, as for upstreams that state none, media by estimate. */
@Injectable()
export class PromptCounts {
  constructor(
    private readonly admission: Admission,
    private readonly tokens: TokenCounter,
    private readonly host: Host,
  ) {}

  /** The reply in the words of the endpoint. Throws the refusal that a call of the model would meet before it costs anything. */
  async answer(call: RelayCall, endpoint: CountedEndpoint): Promise<object> {
    const json = endpoint === 'gemini' ? wrapped(call) : call.json;
    await this.admission.check({ ...call, json });
    const { image, audio } = mediaTokens(boundsOf(json, endpoint), {
      ...{ model: call.model, looks: this.host.env.GET_MEDIA_TOKEN },
    });
    const prompt = countedPrompt({ json, endpoint }, call.model);
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
