export { ColumnStore } from './columns/column-store.js';
export { type Env, envTable, readEnv } from './config/env.js';
export { productFolder, productVersion } from './config/version.js';
export { inFreshContext } from './context/fresh-context.js';
export { currentRequestId, currentTraceparent } from './context/request-scope.js';
export { remoteSpanOf, TRACEPARENT_HEADER } from './context/trace-context.js';
export { SecretBox, Unopened } from './crypto/secret-box.js';
export { CLEAR_LETTERS_AND_DIGITS, LETTERS_AND_DIGITS, randomText } from './crypto/random-text.js';
export { type SealedColumn, sealedFor } from './crypto/sealed-column.js';
export { findSecretKey, otherSecrets, secretKeyFor } from './crypto/secret-key-file.js';
export { AppError } from './errors/app-error.js';
export { folderError } from './errors/folder-error.js';
export { changedNames, refuseOverwriting } from './errors/overwriting.js';
export * from './events/envelope.js';
export {
  EventLog,
  type LogRecord,
  type Offsets,
  type ReadRecord,
  serialise,
  type StoredRecord,
  type Subscription,
} from './events/event-log.js';
export { gather } from './events/gather.js';
export { partitionOf } from './events/partition-of.js';
export { turns } from './events/turns.js';
export {
  type Indexed,
  MAX_RECORD_BYTES,
  RecordsRefused,
  type RefusedRecord,
  sifted,
  sizeOf,
} from './events/records-refused.js';
export { storableJson, storableText } from './events/storable.js';
export { addressRange } from './config/address-lists.js';
export { isAddressAllowed } from './http/allowed-address.js';
export * from './http/caller.js';
export { toAppError, toErrorReply } from './http/envelope.filter.js';
export { HttpInternalClient } from './http/http-internal-client.js';
export { acceptsCoding } from './http/compress-reply.js';
export { FORWARDED_HEADER, signForwarded } from './http/forwarded.js';
export { type Front, frontOf, putInFront, type RawFacts } from './http/front.js';
export { RawRequests } from './service/raw-requests.js';
export { CallPass, InProcessInternalClient, InternalClient, unreachableService } from './http/internal-client.js';
export { unknownAddress } from './http/invalid-address.js';
export { DRAWING_REFUSED, pathDialectOf } from './http/path-dialect.js';
export { networkOf } from './http/network-of.js';
export { isLocal, isLocalCaller } from './http/local-caller.js';
export { ApiDescription, loadOpenApi } from './http/api-description.js';
export type { OpenApiDocument } from './http/openapi-document.js';
export { picturePath, pictureTask } from './http/picture-address.js';
export { Message, RawReply } from './http/reply.js';
export { Answers, Route } from './http/route.js';
export { neverConnected, parseServices, Replica, ServiceDirectory } from './http/service-directory.js';
export { leaveUnread, letBodyCome } from './http/unread-body.js';
export { endWhole } from './http/whole-answer.js';
export { type IdParam, idParamSchema, INVALID_INPUT, parsedBody, toInvalid } from './http/validation.js';
export {
  asksForWebSocket,
  noteSwitched,
  putUpgradeDoor,
  type Upgrade,
  type UpgradeDoor,
  upgradeDoorOf,
} from './http/upgrade-door.js';
export { growingCache } from './key-value/growing-cache.js';
export { type Admission, KeyValue } from './key-value/key-value.js';
export { admitLeniently } from './key-value/lenient-admission.js';
export { MemoryKeyValue } from './key-value/memory-key-value.js';
export { Logger } from './log/logger.js';
export { inSources, nameSourcesInUncaughtErrors } from './log/source-positions.js';
export { exposition } from './metrics/exposition.js';
export { Metrics } from './metrics/metrics.js';
export { OptionStore } from './options/option-store.js';
export { ownAddress } from './options/own-address.js';
export { parseAllowance } from './outbound/address-policy.js';
export { UpstreamTokens } from './upstream-tokens/upstream-tokens.js';
export {
  addressNotAllowed,
  OutboundClient,
  type OutboundReply,
  type OutboundRequest,
} from './outbound/outbound-client.js';
export { callBySocket, collectBySocket, type SocketAnswer, type SocketListener } from './outbound/socket-call.js';
export { callForUser } from './outbound/user-call.js';
export { openWebSocket, UpgradeRefused } from './outbound/web-socket.js';
export { ReadModels, type ReadModel } from './service/read-models.js';
export { parseRevisions } from './service/seen-revisions.js';
export { Announcer } from './service/announcer.js';
export { Clock } from './service/clock.js';
export { type BookCheck, type BookFinding, judged } from './service/book-check.js';
export { type DatabaseDefinition, defineService, type ServiceDefinition } from './service/define-service.js';
export { Host, REQUEST_ID } from './service/host.js';
export { createHttpApp } from './service/http-app.js';
export { tryEach } from './service/try-each.js';
export { Lifecycle } from './service/lifecycle.js';
export { listen, type Listener, wasCutOff } from './service/listener.js';
export { broadcastChannel } from './service/broadcast-channel.js';
export { periodically } from './service/periodic.js';
export { isUuid, leastIdAt, timeOfId } from './timing/id-time.js';
export { isoTime } from './timing/iso-time.js';
export { intervalOver } from './timing/shared-timer.js';
export { unixSeconds } from './timing/unix-seconds.js';
export { type Binding, ChassisModule, ServiceRootModule } from './service/chassis.module.js';
export { addressError, requirePort, requirePorts } from './service/ports.js';
export { openProbePort, type ProbePort } from './service/probe-port.js';
export { expiredSessionCookies, isSecure, readSessionCookie, sessionCookies } from './session/session-cookie.js';
export { type SessionRecord, SessionStore } from './session/session-store.js';
export { inSpan, isTracing, noteOnSpan, startTracing } from './tracing/tracing.js';
