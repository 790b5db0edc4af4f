export { MIN_THINKING_TOKENS } from './anthropic/settings.js';
export { blamesAccount } from './faults/account-words.js';
export * from './adapter.js';
export { runsAt } from './by-model.js';
export { authorized } from './channel/authorized.js';
export { costlyFields, refusalOf, unchangedFields, unpricedField, unpricedValues } from './request/costly-fields.js';
export { errorBody, errorFrame, typedErrorFrame } from './faults/error-body.js';
export { dialectSettings } from './channel/dialect-settings.js';
export { classifyError, unreadableReply } from './faults/faults.js';
export { fitsStream, wholeAsStream } from './clients/whole-as-stream.js';
export { AmbiguousMember, scanObject, type ScannedObject } from './json/json-scan.js';
export { asksForHourCache } from './request/hour-cache.js';
export { continues, responsesBounds } from './responses/bounds.js';
export { geminiBounds } from './gemini/bounds.js';
export { arrayOf, isObject as isPlainObject, objectOf, textOf } from './json/json.js';
export { asJsonArray } from './gemini/json-array.js';
export { geminiMemberRules } from './gemini/member-rules.js';
export { taskMemberRules } from './tasks/member-rules.js';
export { unlistedField } from './request/listed.js';
export { headOf, lazyObject, lengthOf, outlineOf, shownIn, wordsOf } from './json/lazy-json.js';
export { mayShowPictures, withoutPictures } from './json/picture-text.js';
export { TextRoom } from './stream/kept-text.js';
export { namedGoogleTools } from './request/google-tools.js';
export { contentMask, maskSecrets, secretsOf } from './faults/mask-secrets.js';
export { type MemberRules, overriddenModel, overridesOf, requestMembers } from './json/member-rules.js';
export { quickValues } from './json/quick-scan.js';
export { isModestJson } from './json/modest-json.js';
export { pictureType } from './json/picture-type.js';
export { resolveModel } from './channel/model-mapping.js';
export { soundTokens } from './openai-compatible/transcription.js';
export { maskedError } from './realtime/masked-error.js';
export { RealtimeMeter, type RealtimeEvent } from './realtime/meter.js';
export { findProvider } from './registry.js';
export { checkSendable, INVALID_KEY } from './channel/sendable-key.js';
export { wrongInput, wrongItem } from './request/input-items.js';
export {
  alwaysSearches,
  wrongChatSearch,
  requestedSearches,
  googleSearches,
  MOST_SEARCHES,
  oneSearch,
  USUAL_SEARCHES,
  wrongSearchLimit,
} from './request/search-tools.js';
export { replaceMembers, type MemberEdits } from './json/replace-members.js';
export { beginsEvents, isFiller, SseOverflow } from './stream/sse.js';
export { areCounts } from './usage.js';
export { taskAddress } from './tasks/address.js';
export { readDrawing, shownProperties } from './tasks/midjourney.js';
export { readSong } from './tasks/suno.js';
export { maskedItem, maskedReply, taskIdOf, type TaskItem } from './tasks/task-item.js';
export { isRegion } from './vertex/address.js';
export { serviceAccountFault } from './vertex/service-account.js';
