import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arePlainOpenAiEvents } from './plain-event.js';

const plain = 'data: {"choices":[{"delta":{"content":"word"}}]}\n\n';
const arePlain = (text: string): boolean => arePlainOpenAiEvents(Buffer.from(text));

describe('arePlainOpenAiEvents', () => {
  it.each([
    ['one event', plain],
    ['several events', plain.repeat(4)],
    ['a usage of null', 'data: {"usage":null}\n\n'],
    ['an error of null behind a space', `${plain}data: {"error": null}\n\n`],
    ['the words inside a text', String.raw`data: {"content":"say \"usage\": 1"}` + '\n\n'],
  ])('lets %s pass', (_, text) => expect(arePlain(text)).toBe(true));

  it.each([
    ['usage', 'data: {"usage":{"total_tokens":1}}\n\n'],
    ['usage in a later event', `${plain}data: {"usage": {"total_tokens":1}}\n\n`],
    ['an error in a later event', `${plain}data: {"error":"late"}\n\n`],
    ['a verdict', `${plain}data: {"base_resp":{"status_code":1008}}\n\n`],
    ['a failure that is called none', 'data: {"success":false}\n\n'],
    ['the end', `${plain}data: [DONE]\n\n`],
    ['a comment between', `${plain}: ping\n\n${plain}`],
    ['another field', `${plain}id: 7\n${plain}`],
    ['an event of two lines', 'data: {\ndata: }\n\n'],
    ['CRLF', plain.replaceAll('\n', '\r\n')],
    ['a blank line too many', `${plain}\n${plain}`],
    ['half an event behind a whole one', `${plain}data: {"cho`],
    ['a first line without its blank line', `${plain.slice(0, -1)}${plain}`],
    ['nothing', ''],
  ])('has %s looked at', (_, text) => expect(arePlain(text)).toBe(false));

  it('judges several events like each of them', () => {
    const event = fc.constantFrom(
      plain,
      'data: {"usage":{}}\n\n',
      'data: {}\n\n',
      'data: [DONE]\n\n',
      'data: {"error":1}\n\n',
    );
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), (events) => {
        expect(arePlain(events.join(''))).toBe(events.every(arePlain));
      }),
    );
  });
});
