import type { Usage } from '@tollgate/contracts';
import type { PromptBound } from '@tollgate/pricing';

/**
 * The most that a request can use. `soundTokens`, `searchTokens`, `remote` and `ownContext` are not part of `prompt`: an
 * upstream may state them in addition without being disbelieved (`usageLimits`), and a hold covers them at most as an
 * overhead.
 */
export interface RequestBound {
  prompt: PromptBound;
  /** Number of answers that are generated, whether or not all of them are returned. */
  choices: number;
  /** Tokens of one answer that the client allows; 0 when it sets no limit. */
  limit: number;
  /** Tokens of one answer that the model can generate. */
  maximum: number;
  /** The smallest limit that upstreams accept. */
  minimum: number;
  /** Completion tokens beyond the answers: those of the client's prediction, which is charged where it was wrong. */
  predicted: number;
  /** Usage that is charged whatever the upstream states: the characters of a text that is read out. */
  fixed?: Usage;
  /** Tokens of sound, where more are plausible than are held: a file's header may state any length for the sound. */
  soundTokens?: number;
  /** Prompt tokens, because the upstream reads the prompt again after each search. */
  searchTokens?: number;
  /** Tokens of media given by URL or id, whose length is unknown. `isHeard`: they may contain sound. */
  remote?: { tokens: number; isHeard: boolean };
  /** Tokens that an upstream with a context of its own, such as an agent, reads. It also ignores output limits. */
  ownContext?: number;
  /** Each answer begins with the searches that are held, and the upstream does not report them. */
  isSearched?: true;
  /**
   * The searches were not requested: the model always searches. If the request is sent under another model name, there
   * are none.
   */
  isSearchedUnasked?: true;
}
