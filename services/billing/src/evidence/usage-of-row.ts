import type { Usage } from '@tollgate/contracts';
import type { Log, LogOther } from '@tollgate/contracts/api/log';

/** The parsed details of a log row; empty where there are none or they cannot be read. */
export function otherOf({ other }: Pick<Log, 'other'>): LogOther {
  try {
    return JSON.parse(other || '{}') as LogOther;
  } catch {
    return {};
  }
}

/**
 * The usage from which a log row was written. A row counts each kind of token once, so plain prompt tokens are the rest
 * of the prompt. A task has no token counts and is charged as one unit.
 */
export function usageOfRow(log: Log, other: LogOther): Usage {
  const { read, write } = cachedOf(other);
  const media = mediaOf(other);
  const cachedInPrompt = other.claude ? 0 : read + write;
  const inPrompt = (media.imageInputTokens ?? 0) + (media.audioInputTokens ?? 0) + cachedInPrompt;
  const usage: Usage = {
    semantics: other.claude ? 'anthropic' : 'openai',
    inputTokens: Math.max(0, log.prompt_tokens - inPrompt),
    cacheReadTokens: read,
    cacheWriteTokens: write,
    outputTokens: Math.max(0, log.completion_tokens - (media.audioOutputTokens ?? 0)),
    ...media,
    ...(other.cache_creation_tokens_1h !== undefined && { cacheWriteHourTokens: other.cache_creation_tokens_1h }),
    ...(other.pictures && { pictures: other.pictures }),
    ...searchesOf(other),
  };
  const isTask = log.quota > 0 && log.prompt_tokens + log.completion_tokens === 0 && !other.pictures;
  return isTask ? { ...usage, inputTokens: 1 } : usage;
}

const cachedOf = ({ cache_tokens: read = 0, cache_creation_tokens: write = 0 }: LogOther) => ({ read, write });

function mediaOf({ image, image_output: pictured = 0, audio, ws, ...other }: LogOther) {
  const { audio_input: heard = 0, audio_output: spoken = 0 } = other;
  const sounds = Boolean(audio) || Boolean(ws);
  return {
    ...(image && pictured > 0 && { imageInputTokens: pictured }),
    ...(sounds && heard > 0 && { audioInputTokens: heard }),
    ...(sounds && spoken > 0 && { audioOutputTokens: spoken }),
  };
}

function searchesOf({ web_search: web, file_search: file, ...other }: LogOther): Pick<Usage, 'searches'> {
  if (!web && !file) return {};
  const { web_search_context_size: webContext, web_search_call_count: made = 0 } = other;
  return {
    searches: {
      ...(web && (other.google_search ? { google: made } : { web: made, ...(webContext && { webContext }) })),
      ...(file && { file: other.file_search_call_count ?? 0 }),
    },
  };
}
