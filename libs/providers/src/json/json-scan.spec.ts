import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AmbiguousMember, scanObject, stringEnd } from './json-scan.js';
import { requestMembers } from './member-rules.js';

const scan = (text: string): ReturnType<typeof scanObject> => scanObject(Buffer.from(text), requestMembers);

function faultOf(text: string): string {
  try {
    scan(text);
    return '';
  } catch (error) {
    return error instanceof AmbiguousMember ? `${error.fault} ${error.member}` : (error as Error).name;
  }
}

describe('scanObject', () => {
  it('returns the position of each member', () => {
    const text = ' {"model" : "a", "n":[1,{"b":2}],"x":"\\u0022}" } ';
    const { members } = scan(text);
    expect(
      members.map(({ name, start, valueStart, end }) => [name, text.slice(start, end), text.slice(valueStart, end)]),
    ).toEqual([
      ['model', '"model" : "a"', '"a"'],
      ['n', '"n":[1,{"b":2}]', '[1,{"b":2}]'],
      ['x', '"x":"\\u0022}"', '"\\u0022}"'],
    ]);
  });

  it('accepts every object that JSON.stringify writes, with the same members', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }), { noNullPrototype: true });
    const rules = {
      guarded: new Set<string>(),
      spoken: new Set<string>(),
      parts: new Set<string>(),
      free: new Set<string>(),
      fold: (name: string) => name,
      isDocumented: () => true,
    };
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const bytes = Buffer.from(JSON.stringify(json, null, indent));
        const read = scanObject(bytes, rules).members.map(({ name, valueStart, end }) => [
          name,
          JSON.parse(bytes.toString('utf8', valueStart, end)) as unknown,
        ]);
        expect(Object.fromEntries(read)).toEqual(JSON.parse(JSON.stringify(json)));
      }),
    );
  });

  it('accepts nothing that a parser would refuse', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b',
      '1',
      '-',
      '01',
      '1.',
      '2e',
      '.5',
      'true',
      'nul',
      ' ',
      '{}',
      '[]',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), (tokens) => {
        const text = `{${tokens.join('')}}`;
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        expect([text, faultOf(text) !== 'SyntaxError']).toEqual([text, parses]);
      }),
      { numRuns: 3000 },
    );
  });

  it('accepts no string that a parser would refuse, whether the fault is near its beginning or far from it', () => {
    const valid = ['x', 'x'.repeat(300), '\\n', '\\\\', '\\"', '\\u00e4', '\\/', '你', '\u007f'];
    const piece = fc.constantFrom(...valid, '\n', '\0', '\u001f', '\\q', '\\', '\\u12', '\\u12g4', '\\\n');
    const text = fc.array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...valid) }, piece), { maxLength: 9 });
    fc.assert(
      fc.property(text, (pieces) => {
        const json = `{"a":["${pieces.join('')}"]}`;
        let parses = true;
        try {
          JSON.parse(json);
        } catch {
          parses = false;
        }
        expect([json, faultOf(json) !== 'SyntaxError']).toEqual([json, parses]);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([['', '[]', '1', 'null', '{} {}', '{"a":1},', '\ufeff{}', '{"a":1', '{"a":"', '{"a":tru}', "{'a':1}"]])(
    'refuses %j',
    (text) => expect(faultOf(text)).toBe('SyntaxError'),
  );

  it('refuses too deep nesting, but not strings that look like it', () => {
    expect(faultOf(`{"a":${'['.repeat(199)}${']'.repeat(199)}}`)).toBe('');
    expect(faultOf(`{"a":${'['.repeat(200)}${']'.repeat(200)}}`)).toBe('SyntaxError');
    expect(faultOf(`{"a":"${'['.repeat(5000)}"}`)).toBe('');
  });

  it('refuses a body with too many values, which would take long to parse', () => {
    expect(faultOf(`{"a":[${'1,'.repeat(999_998)}1]}`)).toBe('');
    expect(faultOf(`{"a":[${'1,'.repeat(999_999)}1]}`)).toBe('SyntaxError');
  });

  it.each([
    ['{"model":"cheap","model":"dear"}', 'repeated model'],
    ['{"model":"cheap","mod\\u0065l":"dear"}', 'repeated model'],
    ['{"model":"cheap","Model":"dear"}', 'variant Model'],
    ['{"MODEL":"dear"}', 'variant MODEL'],
    ['{"max_to\u212aens":5}', 'variant max_to\u212aens'],
    ['{"ma\\u0078_tokens":5,"max_to\\u212aens":6}', 'variant max_to\u212aens'],
    ['{"me\u017f\u017fages":[]}', 'variant me\u017f\u017fages'],
    ['{"\u017ftream":true}', 'variant \u017ftream'],
    ['{"stream_options":{"Include_Usage":true}}', 'variant Include_Usage'],
    ['{"stream_options":{"include_usage":true,"include_usage":false}}', 'repeated include_usage'],
    ['{"messages":[{"role":"user","content":"good","content":"bad"}]}', 'repeated content'],
    ['{"messages":[{"role":"user","Content":"bad"}]}', 'variant Content'],
    ['{"messages":[{"content":[{"Type":"image_url","image_url":{"url":"x"}}]}]}', 'variant Type'],
    ['{"messages":[{"content":[{"type":"tool_use","input":{"a":1,"a":2}}]}]}', 'repeated a'],
    ['{"thinking":{"budget_tokens":1,"Budget_tokens":9}}', 'variant Budget_tokens'],
  ])('refuses %s', (text, fault) => expect(faultOf(text)).toBe(fault));

  it.each([
    '{"x":1,"x":2,"X":3}',
    '{"metadata":{"Model":"a","model":"b","model":"c"}}',
    '{"logit_bias":{"50256":-100},"user":"Model"}',
    '{"tools":[{"function":{"parameters":{"properties":{"Name":{},"name":{},"Text":{}}}}}]}',
    '{"messages":[{"content":[{"type":"tool_use","input":{"Text":"a","text":"b"}}]}]}',
    '{"documents":[{"Title":"a","Text":"b"}]}',
  ])('leaves %s alone', (text) => expect(faultOf(text)).toBe(''));
});

describe('stringEnd', () => {
  it('agrees with a plain reading, near and far, with escapes everywhere', () => {
    const piece = fc.constantFrom('a', '\\"', '\\\\', '\\n', 'x'.repeat(150), '\\u0022', '你');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = `"${pieces.join('')}"`;
        expect(stringEnd(Buffer.from(`${text},"more"`), 0)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('takes linear time', () => {
    const sparse = Buffer.from(`"${('a'.repeat(200) + '\\n').repeat(50_000)}"`);
    const dense = Buffer.from(`"${'\\"'.repeat(5_000_000)}"`);
    // Ten megabytes each: a search restarted at every escape would take minutes.
    expect([stringEnd(sparse, 0), stringEnd(dense, 0)]).toEqual([sparse.length, dense.length]);
  });
});
