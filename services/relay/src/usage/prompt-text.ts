import type { Json, JsonObject } from '@tollgate/providers';

const MAX_CHARACTERS = 1024 * 1024;
const PROMPT_MEMBERS = ['system', 'messages', 'input', 'prompt', 'tools', 'instruction', 'query', 'documents'];

/** All text of a request that a model reads, whatever the dialect, without inlined media; at most 1 MiB. */
export function promptText(json: JsonObject): string {
  const parts: string[] = [];
  let left = MAX_CHARACTERS;
  const visit = (value: Json | undefined, depth: number): void => {
    if (left <= 0 || depth > 16 || value === undefined || value === null) return;
    if (typeof value === 'string') {
      if (value.startsWith('data:')) return;
      parts.push(value.slice(0, left));
      left -= value.length;
    } else if (Array.isArray(value)) for (const item of value) visit(item, depth + 1);
    else if (typeof value === 'object') visitObject(value, depth);
    else parts.push(String(value));
  };
  const visitObject = (value: JsonObject, depth: number): void => {
    const isImage = value.type === 'image' || value.type === 'image_url' || value.type === 'input_audio';
    if (isImage) return;
    for (const [name, member] of Object.entries(value)) if (name !== 'type') visit(member, depth + 1);
  };
  for (const name of PROMPT_MEMBERS) visit(json[name], 0);
  return parts.join('\n');
}
