import { describe, expect, it } from '@jest/globals';
import { curlOf, defaultParameters, groupsInOrder, newMessage, parseMaxTokens, requestOf } from './conversation.js';

describe('request', () => {
  const said = [newMessage('user', 'a'), newMessage('assistant', '', 'error'), newMessage('user', "b'c")];

  it('leaves out answers without a text and an empty system prompt', () => {
    const { messages } = requestOf(said, { ...defaultParameters, system: ' ' });
    expect(messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: "b'c" },
    ]);
  });

  it('quotes text for the shell', () => {
    expect(curlOf('https://x/', said, defaultParameters)).toContain(String.raw`b'\''c`);
    expect(curlOf('https://x/', said, defaultParameters)).toContain('https://x/v1/chat/completions');
  });

  it('uses the endpoint of the kind of model, and shortens files too long for a terminal', () => {
    const file = { name: 'a b.mp3', type: 'audio/mpeg', url: `data:audio/mpeg;base64,${'A'.repeat(4000)}` };
    const sent = [{ ...newMessage('user', 'hi'), attachments: [file] }];
    const curl = (model: string) => curlOf('https://x', sent, { ...defaultParameters, model, group: 'g' });
    expect(curl('whisper-1')).toContain(`/v1/audio/transcriptions \\\n`);
    expect(curl('whisper-1')).toContain(`-F 'model=whisper-1' -F 'file=@a b.mp3'`);
    expect(curl('tts-1')).toContain(`'{"model":"tts-1","input":"hi","voice":"alloy"}' \\\n  --output speech.mp3`);
    expect(curl('gpt-image-1')).toContain(`'{"model":"gpt-image-1","prompt":"hi"}'`);
    expect(curl('gpt-4o')).toContain('"input_audio":{"data":"<base64>","format":"mp3"}');
    expect(curl('gpt-4o').length).toBeLessThan(1000);
  });

  it('reads max tokens as an integer, and nothing as no limit', () => {
    expect(['128', ' 7 ', '', 'x', '1.5', '1,000', '1e3', '-5'].map(parseMaxTokens)).toEqual([
      ...[128, 7, 0],
      ...[undefined, undefined, undefined, undefined, undefined],
    ]);
  });

  it('puts the own group first', () => {
    expect(groupsInOrder(['a', 'own', 'b'], 'own')).toEqual(['own', 'a', 'b']);
  });
});
