import type { RequestConsumed } from '@tollgate/contracts';
import type { Dialect, SearchDialect, unlistedField } from '@tollgate/providers';

/** The capabilities of a provider that this relay serves, by the name of the adapter. */
export type Endpoint =
  | 'chat'
  | 'messages'
  | 'embeddings'
  | 'completions'
  | 'gemini'
  | 'responses'
  | 'rerank'
  | 'images'
  | 'speech'
  | 'moderations'
  | 'embedContents'
  | FormEndpoint;

/** The endpoints whose requests are multipart forms with files. */
export type FormEndpoint = SoundEndpoint | 'imageEdits';

/** The endpoints that turn the sound of a file into text. */
export type SoundEndpoint = 'transcriptions' | 'translations';

/**
 * What distinguishes one endpoint from the others, apart from the rules for its request bodies
 * (`body/text-request.ts`).
 */
interface EndpointTraits {
  /** The dialect that its clients speak. */
  dialect: Dialect;
  /** The name of the endpoint in `request-consumed`. */
  recorded: RequestConsumed['endpoint'];
  /** Selects the list fields of a request on which its cost depends. */
  lists: Parameters<typeof unlistedField>[1];
  /** The request is a conversation, in any dialect; search and agent models accept only those. */
  isConversation?: true;
  /**
   * Set where upstreams may run searches that are charged per call: the syntax in which a request asks for a search.
   */
  searches?: SearchDialect;
  /** Its streams begin with the tokens of the prompt, which no upstream has counted by then. */
  beginsWithPromptTokens?: true;
  /** Events of its streams carry their type in an `event:` line. */
  isTyped?: true;
}

const conversation = { isConversation: true } as const;
const text = { dialect: 'openai', lists: 'chat' } as const;
const media = { ...text, isTyped: true } as const;
const google = { dialect: 'gemini', lists: 'gemini' } as const;

export const ENDPOINTS: Readonly<Record<Endpoint, EndpointTraits>> = {
  chat: { ...text, ...conversation, recorded: 'chat', searches: 'chat' },
  messages: {
    ...conversation,
    dialect: 'anthropic',
    lists: 'chat',
    recorded: 'messages',
    searches: 'messages',
    beginsWithPromptTokens: true,
  },
  gemini: { ...google, ...conversation, recorded: 'chat', searches: 'gemini' },
  responses: {
    ...conversation,
    dialect: 'responses',
    lists: 'responses',
    recorded: 'responses',
    searches: 'responses',
  },
  completions: { ...text, recorded: 'completions' },
  embeddings: { ...text, recorded: 'embeddings' },
  embedContents: { ...google, recorded: 'embeddings' },
  rerank: { ...text, recorded: 'rerank' },
  moderations: { ...text, recorded: 'moderations' },
  images: { ...media, recorded: 'images' },
  imageEdits: { ...media, recorded: 'images' },
  speech: { ...media, recorded: 'audio' },
  transcriptions: { ...media, recorded: 'audio' },
  translations: { ...media, recorded: 'audio' },
};

/**
 * The endpoints whose bodies a channel may forward byte for byte. Bodies of Anthropic and Gemini clients are never
 * forwarded so.
 */
export const isPassedOn = (endpoint: Endpoint): endpoint is 'chat' | 'completions' | 'responses' =>
  endpoint === 'chat' || endpoint === 'completions' || endpoint === 'responses';
