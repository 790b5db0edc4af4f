import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { geminiMemberRules } from '../gemini/member-rules.js';
import { scanObject } from './json-scan.js';
import type { MemberRules } from './member-rules.js';
import { requestMembers } from './member-rules.js';
import { quickValues } from './quick-scan.js';

const rulesets: Record<string, MemberRules> = { requestMembers, geminiMemberRules };

/** The number of values by the full scan; `undefined` when it refuses the text. */
function fullValues(text: string, rules: MemberRules): number | undefined {
  try {
    return scanObject(Buffer.from(text), rules).values;
  } catch {
    return undefined;
  }
}

const names = fc.constantFrom(
  ...['model', 'Model', 'messages', 'metadata', 'tools', 'input', 'content', 'Content', 'role', 'text', 'x', 'X', ''],
  ...['generationConfig', 'generation_config', 'contents', 'parts', 'maxOutputTokens', 'max_output_tokens', 'args'],
  ...['properties', 'Name', 'name', 'max_to\u212aens', 'max_tokens', 'a,b', 'a}b', 'a:b', '名'],
);
const strings = fc.constantFrom('"x"', '""', '"{"', '"a\\"b"', '"\\\\"', '"\\\\\\""', '"[1,2"', '"你"', '"\\u0022"');
const scalars = fc.oneof(strings, fc.constantFrom('1', '-0.5e3', 'true', 'false', 'null'));
const gaps = fc.constantFrom('', ' ', '\n\t');

/** Texts of valid JSON objects, in which names may be repeated. */
const { object } = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, depthSize: 'medium' }, scalars, tie('object'), tie('list')),
  list: fc
    .tuple(fc.array(tie('value'), { maxLength: 3 }), gaps)
    .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
  object: fc
    .tuple(fc.array(fc.tuple(names, tie('value')), { maxLength: 12 }), gaps)
    .map(([members, gap]) => `{${gap}${members.map(([n, v]) => `"${n}"${gap}:${gap}${v}`).join(`${gap},`)}${gap}}`),
}));

describe.each(Object.entries(rulesets))('quickValues by %s', (_, rules) => {
  it('agrees with the full scan on every valid object', () => {
    fc.assert(
      fc.property(object, (text) => {
        JSON.parse(text);
        expect([text, quickValues(text, rules)]).toEqual([text, fullValues(text, rules)]);
      }),
      { numRuns: 1000 },
    );
  });

  it('never accepts what neither the full scan nor a parser accepts', () => {
    const cut = fc.tuple(object, fc.nat(), fc.nat(3), fc.constantFrom('', ',', '"', '}', '[', ':', '\\', '\u0001'));
    fc.assert(
      fc.property(cut, ([text, at, length, put]) => {
        const from = at % (text.length + 1);
        const broken = text.slice(0, from) + put + text.slice(from + length);
        let parses = true;
        try {
          JSON.parse(broken);
        } catch {
          parses = false;
        }
        const quick = quickValues(broken, rules);
        if (parses && quick !== undefined) expect([broken, quick]).toEqual([broken, fullValues(broken, rules)]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('quickValues', () => {
  it('leaves escaped names, deep nesting and anything but an object to the full scan', () => {
    for (const text of ['{"mod\\u0065l":"a"}', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`, '[]', '', '"a"', '{"a"'])
      expect(quickValues(text, requestMembers)).toBeUndefined();
    expect(quickValues(`{"a":${'['.repeat(199)}${']'.repeat(199)}}`, requestMembers)).toBe(199);
  });

  it('classifies names alike once its cache of names was full', () => {
    const many = Array.from({ length: 2500 }, (_, at) => `"n${at}":1`).join();
    expect(quickValues(`{${many}}`, requestMembers)).toBe(2500);
    expect(quickValues(`{"${'n'.repeat(100)}":1}`, requestMembers)).toBe(1);
    expect(quickValues('{"Stream":true}', requestMembers)).toBeUndefined();
    expect(quickValues('{"stream":true,"stream":false}', requestMembers)).toBeUndefined();
  });

  it('keeps the names that it has seen, but not the bodies in which they stood', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const body = (at: number): string => `{"name_of_a_client_${at}":1,"text":"你${'x'.repeat(100_000)}"}`;
    for (let at = 0; at < 5; at += 1) quickValues(body(at), requestMembers);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let at = 5; at < 300; at += 1) quickValues(body(at), requestMembers);
    collect();
    // All bodies together have 60 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
  });

  it('takes time in proportion to the text, also for runs of backslashes', () => {
    const text = `{"a":"${'\\\\'.repeat(500_000)}","b":[${'"\\"",'.repeat(200_000)}1]}`;
    expect(quickValues(text, requestMembers)).toBe(200_003);
  });
});
