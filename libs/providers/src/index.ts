export * from './adapter.js';
export { errorBody, errorFrame } from './error-body.js';
export { classifyError, findFault, unreadableReply } from './faults.js';
export { maskSecrets, secretsOf } from './mask-secrets.js';
export { resolveModel, type ResolvedModel } from './model-mapping.js';
export { findProvider, providers } from './registry.js';
export { replaceMembers, type MemberEdits } from './replace-members.js';
export { readSseEvent, SseOverflow, SseSplitter, type SseEvent } from './sse.js';
export { anthropicUsage, openAiUsage, toAnthropicUsage, toOpenAiUsage } from './usage.js';
