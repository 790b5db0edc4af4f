import { baidu } from './baidu.js';
import { cohere } from './cohere.js';
import { coze } from './coze.js';
import { dify } from './dify.js';
import { gemini } from './gemini.js';
import type { Native } from './native.js';
import { tencent } from './tencent.js';
import { vertex } from './vertex.js';
import { zhipu } from './zhipu.js';

/** Providers with paths of their own; the first that knows a path answers. */
export const natives: readonly Native[] = [gemini, vertex, baidu, zhipu, tencent, cohere, dify, coze];
