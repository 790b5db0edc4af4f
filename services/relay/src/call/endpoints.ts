import type { RequestConsumed } from '@tollgate/contracts';
import type { Dialect, SearchEndpoint, unlistedField } from '@tollgate/providers';

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
  | 'edits'
  | 'embedContents'
  | FormEndpoint;

/** Those whose requests are forms with files. */
export type FormEndpoint = SoundEndpoint | 'imageEdits';

/** Those whose file is sound that is written down. */
export type SoundEndpoint = 'transcriptions' | 'translations';

/** In what one endpoint differs from the others beside the rules of its requests (`body/text-request.ts`). */
interface EndpointTraits {
  /** What its clients speak. */
  dialect: Dialect;
  /** Its name in the record of a call. */
  recorded: RequestConsumed['endpoint'];
  /** Where the lists of its requests stand that their cost depends on. */
  lists: Parameters<typeof unlistedField>[1];
  /** A conversation, in whatever dialect: models of search and agents can be asked in it. */
  isConversation?: true;
  /** Its upstreams may search at a price by the call; the words in which that is asked for. */
  searches?: SearchEndpoint;
  /** The events of its streams name their type. */
  isTyped?: true;
}

const conversation = { isConversation: true } as const;
const text = { dialect: 'openai', lists: 'chat' } as const;
const media = { ...text, isTyped: true } as const;
const google = { dialect: 'gemini', lists: 'gemini' } as const;

export const ENDPOINTS: Readonly<Record<Endpoint, EndpointTraits>> = {
  chat: { ...text, ...conversation, recorded: 'chat', searches: 'chat' },
  messages: { ...conversation, dialect: 'anthropic', lists: 'chat', recorded: 'messages', searches: 'messages' },
  gemini: { ...google, ...conversation, recorded: 'chat', searches: 'gemini' },
  responses: {
    ...conversation,
    dialect: 'responses',
    lists: 'responses',
    recorded: 'responses',
    searches: 'responses',
  },
  completions: { ...text, recorded: 'completions' },
  edits: { ...text, recorded: 'completions' },
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

/** The endpoints whose bodies a channel may pass on as the client wrote them; those of Anthropic and Gemini never are. */
export const isPassedOn = (endpoint: Endpoint): endpoint is 'chat' | 'completions' | 'responses' =>
  endpoint === 'chat' || endpoint === 'completions' || endpoint === 'responses';
