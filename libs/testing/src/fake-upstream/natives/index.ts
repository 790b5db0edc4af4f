import { gemini } from './gemini.js';
import type { Native } from './native.js';
import { vertex } from './vertex.js';

/** Providers with paths of their own; the first that knows a path answers. */
export const natives: readonly Native[] = [gemini, vertex];
