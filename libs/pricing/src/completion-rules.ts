/** Completion ratio of a model family. A locked one is a fact of the vendor's price list, which operators cannot change. */
interface CompletionRule {
  matches: (model: string) => boolean;
  ratio: number;
  locked: boolean;
}

type BuiltInCompletion = Pick<CompletionRule, 'ratio' | 'locked'>;

const is =
  (...names: string[]) =>
  (model: string): boolean =>
    names.includes(model);
const startsWith =
  (...prefixes: string[]) =>
  (model: string): boolean =>
    prefixes.some((prefix) => model.startsWith(prefix));
const contains =
  (...parts: string[]) =>
  (model: string): boolean =>
    parts.some((part) => model.includes(part));
const isGpt4 = (model: string): boolean =>
  model.startsWith('gpt-4') && !model.endsWith('-all') && !model.endsWith('-gizmo-*');
const isGpt35 = startsWith('gpt-3.5');

const locked = (matches: CompletionRule['matches'], ratio: number): CompletionRule => ({
  matches,
  ratio,
  locked: true,
});
const open = (matches: CompletionRule['matches'], ratio: number): CompletionRule => ({ matches, ratio, locked: false });

/** The first matching rule applies. */
const rules: CompletionRule[] = [
  locked((model) => isGpt4(model) && model === 'gpt-4o-2024-05-13', 3),
  locked((model) => isGpt4(model) && model.startsWith('gpt-4o'), 4),
  locked((model) => isGpt4(model) && model.startsWith('gpt-4.5-preview'), 2),
  locked((model) => isGpt4(model) && (model.startsWith('gpt-4-turbo') || /gpt-4-110[56]$/.test(model)), 3),
  open(isGpt4, 2),
  locked(startsWith('o1', 'o3'), 4),
  locked(is('chatgpt-4o-latest'), 3),
  locked(contains('claude-instant-1', 'claude-2'), 3),
  locked(contains('claude-3'), 5),
  locked((model) => model === 'gpt-3.5-turbo' || (isGpt35(model) && model.endsWith('0125')), 3),
  locked((model) => isGpt35(model) && model.endsWith('1106'), 2),
  locked(isGpt35, 4 / 3),
  locked(startsWith('mistral-'), 3),
  locked(startsWith('gemini-1.5', 'gemini-2.0'), 4),
  locked(startsWith('gemini-2.5-pro-preview'), 8),
  open((model) => model.startsWith('gemini-2.5-flash-preview') && model.endsWith('-nothinking'), 4),
  open(startsWith('gemini-2.5-flash-preview'), 5.833333),
  open(startsWith('gemini-'), 4),
  locked(is('command-r'), 3),
  locked(is('command-r-plus'), 5),
  locked(is('command-r-08-2024', 'command-r-plus-08-2024'), 4),
  open(startsWith('command'), 4),
  locked((model) => is('deepseek-chat', 'deepseek-reasoner')(model.toLowerCase()), 4),
  locked(startsWith('ERNIE-Speed-', 'ERNIE-Lite-', 'ERNIE-Character', 'ERNIE-Functions'), 2),
  locked(is('llama2-70b-4096'), 1.25),
  locked(is('llama3-8b-8192'), 2),
  locked(is('llama3-70b-8192'), 1.338983),
];

export const builtInCompletion = (model: string): BuiltInCompletion =>
  rules.find(({ matches }) => matches(model)) ?? { ratio: 1, locked: false };
