export { contractTopics, describeEventLog } from './contract-event-log.js';
export { describeKeyValue } from './contract-key-value.js';
export { interrupted } from './interrupted-store.js';
export { createDatabase, hasPostgres, type TestDatabase } from './create-database.js';
export {
  type ServiceHarness,
  startServices,
  type TestCaller,
  type TestReply,
  type TestRequest,
} from './service-harness.js';
export { EPAY_ID, EPAY_KEY, type EpayTestGateway, startEpayGateway } from './epay-gateway.js';
export { type MailServer, startMailServer } from './mail-server.js';
export { type OidcStandIn, startOidcProvider } from './oidc-provider.js';
export { SIGN_IN_CLIENT, type SignInStandIns, startSignInStandIns } from './sign-in-stand-ins.js';
export { SoftAuthenticator } from './soft-authenticator.js';
export { runSql } from './run-sql.js';
export { makeCertificates, type TestCertificates } from './certificates.js';
export { type OwnServer, startOwnPostgres, type TestServer } from './start-postgres.js';
export { type ForeignRecord, readByConsole } from './console-consumer.js';
export { type ComposeFile, type ComposeService, packageBehind, parseCompose, readCompose } from './compose-file.js';
export { kafkaClassPath, missingForKafka } from './kafka-jars.js';
export { endWithUs } from './end-with-us.js';
export { eventually, readUntil } from './eventually.js';
export { isWaitedFor } from './is-waited-for.js';
export { freePort } from '@tollgate/embedded';
export { LocalKafka } from './local-kafka.js';
export { LocalRedis } from './local-redis.js';
export { startKafka } from './start-kafka.js';
export { startHttpProxy, startSilentProxy, startSocksProxy, type TestProxy } from './start-proxy.js';
export { startRedis } from './start-redis.js';
export { type SlowProxy, startSlowProxy } from './start-slow-proxy.js';
export { type RealtimeUpstream, startRealtimeUpstream } from './realtime-upstream/index.js';
export { wavFile } from './wav-file.js';
export { SPOKEN, type SpeechUpstream, startSpeechUpstream } from './speech-upstream.js';
export { RANKED_TOKENS, type RerankStyle, type RerankUpstream, startRerankUpstream } from './rerank-upstream.js';
export {
  awsChunk,
  awsException,
  awsMessage,
  BEDROCK_KEY,
  type BedrockUpstream,
  signatureFault,
  startBedrockUpstream,
} from './bedrock-upstream/index.js';
export { type GeminiUpstream, GEMINI_KEY, startGeminiUpstream } from './gemini-upstream/index.js';
export { startTaskUpstream, TASK_KEY, type TaskUpstream } from './task-upstream/index.js';
export {
  assertionFault,
  BAD_KEY,
  BAIDU_BAD_KEY,
  isZhipuToken,
  revokeBaiduTokens,
  revokeVertexTokens,
  sparkUrlFault,
  startFakeUpstream,
  tc3Fault,
  TENCENT_KEY,
  vertexKey,
  XUNFEI_KEY,
  ZHIPU_KEY,
  type FakeUpstream,
  type FakeUpstreamOptions,
  type JournalEntry,
} from './fake-upstream/index.js';
export {
  abortDelay,
  type HostileEndpoint,
  type HostileUpstream,
  say,
  type Scenario,
  scenarios,
  startHostileUpstream,
  words,
} from './hostile-upstream/index.js';
export {
  type ApiReply,
  passwordOf,
  Person,
  ROOT,
  setUpSite,
  type Site,
  type TestBed,
  startProduct,
  startTestBed,
} from './test-bed.js';
export { LocalClickhouse } from './start-clickhouse.js';
