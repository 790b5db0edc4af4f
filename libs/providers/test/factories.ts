import { readFileSync } from 'node:fs';
import path from 'node:path';
import type {
  UpstreamTokenSource,
  ChannelTarget,
  ClientRequest,
  JsonObject,
  ReplyContext,
  ReplyStream,
} from '../src/adapter.js';

/** A request as the relay passes it to an adapter; `text` sets the exact bytes. */
export function clientRequest(
  json: JsonObject,
  details: Partial<ClientRequest> & { text?: string } = {},
): ClientRequest {
  const { text = JSON.stringify(json), ...rest } = details;
  return { dialect: 'openai', json, bytes: Buffer.from(text), headers: {}, ...rest };
}

export const channelTarget = (details: Partial<ChannelTarget> = {}): ChannelTarget => ({
  channelType: 1,
  baseUrl: '',
  key: 'sk-upstream',
  model: 'gpt-4o-mini',
  requestedModel: details.model ?? 'gpt-4o-mini',
  organization: '',
  other: '',
  setting: {},
  paramOverride: {},
  settings: {
    claude: {
      defaultMaxTokens: { default: 8192 },
      modelHeaders: {},
      thinkingAdapterEnabled: true,
      thinkingBudgetPercentage: 0.8,
    },
    gemini: {
      safetySettings: { default: 'OFF', HARM_CATEGORY_CIVIC_INTEGRITY: 'BLOCK_NONE' },
      versionSettings: { default: 'v1beta', 'gemini-1.0-pro': 'v1' },
      maxImages: 16,
      imageModels: ['gemini-2.0-flash-exp'],
      thinkingAdapterEnabled: false,
      thinkingBudgetPercentage: 0.6,
    },
    forceStreamUsage: true,
    azureApiVersion: '2025-04-01-preview',
    product: { name: 'Tollgate', url: 'https://tollgate.example' },
  },
  nowMs: 1_700_000_000_000,
  ...details,
});

export const replyContext = (details: Partial<ReplyContext> = {}): ReplyContext => ({
  requestId: 'r1',
  model: 'gpt-4o-mini',
  includeUsage: false,
  setting: {},
  nowSeconds: 1_700_000_000,
  promptTokens: 7,
  secrets: [],
  ...details,
});

/** For tests in which no token may be requested. */
export const noTokens: UpstreamTokenSource = { get: () => Promise.reject(new Error('no token was to be asked for')) };

export const fixture = (folder: string, name: string): Buffer => readFileSync(path.join(folder, '__fixtures__', name));

/** Feeds a recorded stream through, in chunks of the given sizes, as the relay does. */
export function play(stream: ReplyStream, bytes: Buffer, sizes: number[] = []): string {
  const sent: Buffer[] = [];
  const keep = (piece: Buffer | undefined): void => void (piece && sent.push(piece));
  let at = 0;
  for (const size of sizes) {
    keep(stream.push(bytes.subarray(at, at + size)));
    at += size;
  }
  if (at < bytes.length) keep(stream.push(bytes.subarray(at)));
  keep(stream.close());
  if (stream.isComplete) keep(stream.lastFrames());
  return Buffer.concat(sent).toString('utf8');
}

/** The JSON data of the frames that a client received. */
export const dataOf = (frames: string): JsonObject[] =>
  frames
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as JsonObject);
