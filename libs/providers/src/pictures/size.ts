import type { JsonObject } from '../adapter.js';
import { textOf } from '../json/json.js';

/** Clients send this for "no size", but some upstreams refuse it. */
export const NO_SIZE = 'empty';

/** The size that a request for pictures states; empty for none. */
export const statedSize = ({ size }: JsonObject): string => (size === NO_SIZE ? '' : textOf(size));
