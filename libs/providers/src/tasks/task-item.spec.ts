import { describe, expect, it } from '@jest/globals';
import { readDrawing, shownProperties } from './midjourney.js';
import { readSong } from './suno.js';
import { maskedItem, maskedReply } from './task-item.js';

describe('readDrawing', () => {
  it('reads what a proxy tells', () => {
    const buttons = [{ customId: 'MJ::JOB::upsample::1::x', emoji: '', label: 'U1', type: 2, style: 2 }];
    expect(
      readDrawing({
        id: '1712205491372224',
        status: 'SUCCESS',
        progress: '100%',
        startTime: 1_700_000_001_000,
        finishTime: 1_700_000_055_000,
        imageUrl: 'https://cdn.example.com/cat.png',
        promptEn: 'a cat',
        buttons,
        properties: { finalPrompt: 'a cat --v 6', notifyHook: 'https://gate.example.com/mj/notify?sign=secret' },
      }),
    ).toEqual({
      upstreamId: '1712205491372224',
      status: 'SUCCESS',
      progress: '100%',
      startedAt: 1_700_000_001_000,
      finishedAt: 1_700_000_055_000,
      failReason: '',
      imageUrl: 'https://cdn.example.com/cat.png',
      promptEn: 'a cat',
      description: '',
      state: '',
      buttons: JSON.stringify(buttons),
      properties: '{"finalPrompt":"a cat --v 6"}',
      data: '',
    });
  });

  it.each([[{}], [{ id: '' }], [{ id: {} }], [{ id: 1.5 }]])('has no name for %j', (item) => {
    expect(readDrawing(item)).toBeUndefined();
  });

  it('treats members of the wrong type as absent', () => {
    const read = readDrawing({ id: 7, status: 5, progress: {}, startTime: -3, buttons: 'x', imageUrl: ['a'] });
    expect(read).toMatchObject({ upstreamId: '7', status: '', progress: '', startedAt: 0, buttons: '', imageUrl: '' });
  });
});

it.each([
  ['', { finalPrompt: '', finalZhPrompt: '' }],
  ['[]', { finalPrompt: '', finalZhPrompt: '' }],
  ['{"finalPrompt":5,"finalZhPrompt":"一只猫","nonce":"1"}', { finalPrompt: '', finalZhPrompt: '一只猫' }],
])('shows of the properties %s the prompts only', (stored, shown) => {
  expect(shownProperties(stored)).toEqual(shown);
});

describe('progress', () => {
  it.each([
    ['45%', '45%'],
    ['45', '45%'],
    [45, '45%'],
    ['150%', '100%'],
    ['soon', ''],
    [null, ''],
    ['-3%', ''],
  ])('reads %j as %j', (told, read) => {
    expect(readSong({ task_id: 'a', progress: told })?.progress).toBe(read);
  });
});

describe('readSong', () => {
  it('has no time that is too late to be kept', () => {
    const times = { startTime: 1_700_000_000_000_000, finishTime: 253_402_300_800_000 };
    expect(readDrawing({ id: '1', ...times })).toMatchObject({ startedAt: 0, finishedAt: 0 });
    const song = { task_id: 'a', start_time: 1_700_000_000_000, finish_time: 253_402_300_799 };
    expect(readSong(song)).toMatchObject({ startedAt: 0, finishedAt: 253_402_300_799_000 });
  });

  it('keeps what was made, and has its times in milliseconds', () => {
    const data = [{ id: 'clip', audio_url: 'https://cdn.example.com/a.mp3' }];
    expect(readSong({ task_id: 'abc', status: 'SUCCESS', start_time: 1_700_000_000, data })).toMatchObject({
      upstreamId: 'abc',
      startedAt: 1_700_000_000_000,
      data: JSON.stringify(data),
    });
  });

  it('does not keep what is too long', () => {
    expect(readSong({ task_id: 'abc', data: ['x'.repeat(300_000)] })?.data).toBe('');
  });
});

const channel = { key: 'sk-channel-key-1', baseUrl: 'https://proxy.example', organization: '' };

it("masks key and address of the channel in the failure, but not the picture's address", () => {
  const imageUrl = 'https://proxy.example/pictures/1.png';
  const said = { failReason: 'sk-channel-key-1 is wrong', description: 'ask https://proxy.example', imageUrl };
  const item = readDrawing({ id: '1', status: 'FAILURE', ...said });
  expect(item && maskedItem(item, channel)).toMatchObject({
    ...{ failReason: '*** is wrong', description: 'ask ***', imageUrl },
  });
});

describe('in the other texts of a task', () => {
  const { key } = channel;

  it('only the key is masked, because a song is an address', () => {
    const url = 'https://proxy.example/songs/1.mp3';
    const song = readSong({
      task_id: '1',
      data: [{ audio_url: url, error: `${key} is wrong`, [key]: [5, null, true] }],
    });
    const data = JSON.parse((song && maskedItem(song, channel).data) ?? '') as unknown;
    expect(data).toEqual([{ audio_url: url, error: '*** is wrong', '***': [5, null, true] }]);
  });

  it('the key is masked in each of them', () => {
    const texts = { promptEn: key, state: key, buttons: [{ label: key }], properties: { finalPrompt: key } };
    const item = readDrawing({ id: '1', ...texts });
    expect(item && maskedItem(item, channel)).toMatchObject({
      ...{ promptEn: '***', state: '***', buttons: '[{"label":"***"}]', properties: '{"finalPrompt":"***"}' },
    });
  });

  it.each([
    ['is a number', '1234567890', [{ id: 1234567890, said: '1234567890' }], [{ id: 1234567890, said: '***' }]],
    ['follows an escape', 'nkey-of-it', ['\nkey-of-it'], ['\nkey-of-it']],
    ['needs escapes', 'key"of\\it', ['key"of\\it'], ['***']],
    ['is encoded', 'sk-channel-key-1', [`\n${Buffer.from('me:sk-channel-key-1').toString('base64')}`], ['\n***']],
    ['is too short to be told from a word', 'love', ['love'], ['love']],
  ])('the JSON stays valid where the key %s', (_, sought, data, masked) => {
    const song = readSong({ task_id: '1', data });
    expect(JSON.parse((song && maskedItem(song, { ...channel, key: sought }).data) ?? '')).toEqual(masked);
  });
});

describe('in the reply to a submission', () => {
  const said = 'sk-channel-key-1 of https://proxy.example';

  it('key and address of the channel are masked in what it tells, and the key alone elsewhere', () => {
    const properties = { imageUrl: 'https://proxy.example/1.png', said: ['sk-channel-key-1'], numberOfImages: 1 };
    expect(maskedReply({ code: 21, description: said, result: '17', properties }, channel)).toEqual({
      ...{ code: 21, description: '*** of ***', result: '17' },
      properties: { ...properties, said: ['***'] },
    });
    expect(maskedReply({ code: 'success', message: said, data: 'a-song' }, channel)).toEqual({
      ...{ code: 'success', message: '*** of ***', data: 'a-song' },
    });
  });

  it('what is no text stays', () => {
    expect(maskedReply({ description: null, message: 5, result: ['a'] }, channel)).toEqual({
      ...{ description: null, message: 5, result: ['a'] },
    });
  });
});
