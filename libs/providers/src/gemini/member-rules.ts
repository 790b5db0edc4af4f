import type { MemberRules } from '../json/member-rules.js';
import { fold } from '../json/member-rules.js';
import { snakeCase } from '../json/json.js';

const SPOKEN = ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings'];
const GUARDED = [...SPOKEN, 'cachedContent', 'serviceTier', 'model'];
const PARTS = [
  ...['role', 'parts', 'text', 'thought', 'inlineData', 'mimeType', 'data', 'fileData', 'fileUri', 'functionCall'],
  ...['functionResponse', 'name', 'functionDeclarations', 'maxOutputTokens', 'candidateCount', 'stopSequences'],
  ...['thinkingConfig', 'thinkingBudget', 'thinkingLevel', 'responseModalities', 'responseMimeType', 'responseSchema'],
  ...['responseJsonSchema', 'mediaResolution', 'category', 'threshold', 'functionCallingConfig', 'mode'],
];
const FREE = [
  ...['args', 'response', 'parameters', 'parametersJsonSchema', 'responseSchema', 'responseJsonSchema', 'properties'],
];

/** The names in both spellings, camel case and snake case, that Google documents and accepts. */
const spelt = (names: string[]): Set<string> => new Set(names.flatMap((name) => [name, snakeCase(name)]));
const documented = spelt([...GUARDED, ...PARTS, ...FREE]);

/** Folds both spellings to one, so that a member sent in both counts as repeated. */
const withoutUnderscores = (name: string): string => fold(name).replaceAll('_', '');
const folded = (names: string[]): Set<string> => new Set(names.map(withoutUnderscores));

/** The counterpart of `requestMembers` for bodies in Gemini's dialect. */
export const geminiMemberRules: MemberRules = {
  guarded: folded(GUARDED),
  spoken: spelt(SPOKEN),
  parts: folded(PARTS),
  free: spelt(FREE),
  fold: withoutUnderscores,
  isDocumented: (name) => documented.has(name),
};
