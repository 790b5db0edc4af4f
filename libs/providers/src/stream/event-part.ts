import type { JsonObject } from '../requests.js';
import type { EndPart } from './choice-ends.js';

/** What one upstream event adds to the reply. */
export interface EventPart extends EndPart {
  text: string;
  /** The number of tool calls so far. */
  toolCalls?: number;
  /** Number of web searches that the event reports. */
  searches?: number;
  id?: string;
  model?: string;
}

export type PartReader = (json: JsonObject) => EventPart;
