export { sparkUrlFault, XUNFEI_KEY } from './natives/xunfei.js';
export { BAIDU_BAD_KEY, revokeBaiduTokens } from './natives/baidu.js';
export { TENCENT_KEY, tc3Fault } from './natives/tencent.js';
export { isZhipuToken, ZHIPU_KEY } from './natives/zhipu.js';
export type { JournalEntry } from './journal.js';
export { assertionFault, revokeVertexTokens, vertexKey } from './natives/vertex.js';
export { BAD_KEY, startFakeUpstream, type FakeUpstream, type FakeUpstreamOptions } from './server.js';
