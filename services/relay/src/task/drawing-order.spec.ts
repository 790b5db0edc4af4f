import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { drawingModelByPath, readButton, readDrawingOrder, readFaceSwap, withoutModes } from './drawing-order.js';

const nothing = (): void => undefined;

describe('readDrawingOrder', () => {
  it.each([
    ['imagine', { prompt: 'a cat' }, { action: 'IMAGINE', model: 'mj_imagine', prompt: 'a cat' }],
    ['change', { taskId: '1', action: 'UPSCALE', index: 2 }, { action: 'UPSCALE', model: 'mj_upscale', originId: '1' }],
    ['change', { taskId: '1', action: 'REROLL' }, { action: 'REROLL', originId: '1', needsFinished: true }],
    ['simple-change', { content: '17 U3' }, { action: 'UPSCALE', originId: '17' }],
    ['simple-change', { content: '17 v1' }, { action: 'VARIATION', originId: '17' }],
    ['simple-change', { content: '17 R' }, { action: 'REROLL', originId: '17' }],
    ['describe', { base64: 'x' }, { action: 'DESCRIBE', model: 'mj_describe' }],
    ['blend', { base64Array: [] }, { action: 'BLEND', model: 'mj_blend' }],
    ['shorten', { prompt: 'long' }, { action: 'SHORTEN', model: 'mj_shorten' }],
    ['modal', { taskId: '1' }, { action: 'MODAL', originId: '1', needsFinished: false }],
    ['upload-discord-images', {}, { action: 'UPLOAD', model: 'mj_upload' }],
  ])('reads %s', (action, body, order) => {
    const read = readDrawingOrder(action, body, nothing);
    expect(read).toMatchObject(order);
    expect([undefined, read.model]).toContain(drawingModelByPath(action));
  });

  it.each([
    ['imagine', 'mj_imagine'],
    ['describe', 'mj_describe'],
    ['blend', 'mj_blend'],
    ['shorten', 'mj_shorten'],
    ['modal', 'mj_modal'],
    ['upload-discord-images', 'mj_upload'],
    ['change', undefined],
    ['toString', undefined],
  ])('knows the model of %s without its body: %s', (action, model) => {
    expect(drawingModelByPath(action)).toBe(model);
  });

  it.each([
    ['imagine', {}, 'prompt_is_required'],
    ['imagine', { prompt: null }, 'prompt_is_required'],
    ['shorten', { prompt: '' }, 'prompt_is_required'],
    ['change', { action: 'UPSCALE', index: 1 }, 'task_id_is_required'],
    ['change', { taskId: '1', index: 1 }, 'action_is_required'],
    ['change', { taskId: '1', action: 'UPSCALE' }, 'index_is_required'],
    ['simple-change', {}, 'content_is_required'],
    ['simple-change', { content: '17' }, 'content_parse_failed'],
    ['simple-change', { content: '17 U9' }, 'content_parse_failed'],
    ['simple-change', { content: '17 U' }, 'content_parse_failed'],
    ['modal', {}, 'task_id_is_required'],
    ['action', { taskId: '1' }, 'custom_id_is_required'],
    ['action', {}, 'custom_id_is_required'],
    ['action', { customId: 'MJ::JOB::reroll::0::x' }, 'task_id_is_required'],
    ['action', { taskId: '1', customId: 'MJ::JOB::upsample::two::x' }, 'index_parse_failed'],
  ])('refuses %s with %j', (action, body, fault) => {
    expect(() => readDrawingOrder(action, body, nothing)).toThrow(fault);
  });

  it.each([
    ['change', { action: 'upscale' }, 'mj_upscale'],
    ['change', { taskId: '1', action: 'VARIATION' }, 'mj_variation'],
    ['action', { customId: 'MJ::JOB::reroll::0::x' }, 'mj_reroll'],
    ['action', { taskId: '1', customId: 'MJ::JOB::variation::x' }, 'mj_variation'],
  ])('names the model of %s with %j before its faults', (action, body, model) => {
    const models: string[] = [];
    expect(() => readDrawingOrder(action, body, (named) => models.push(named))).toThrow();
    expect(models).toEqual([model]);
  });

  it.each(['paint', 'constructor', 'toString', '__proto__'])('knows no submission %s', (action) => {
    const body = { model: 'mj_describe', action: 'INPAINT', prompt: 'a cat' };
    expect(() => readDrawingOrder(action, body, nothing)).toThrow('unknown_action');
  });

  it.each([
    ['imagine', { prompt: 5 }],
    ['imagine', { prompt: 'a cat', base64Array: 'x' }],
    ['imagine', { prompt: 'a cat', base64Array: [1] }],
    ['imagine', { prompt: 'a cat', accountFilter: 'FAST' }],
    ['blend', { base64Array: {} }],
    ['change', { taskId: '1', action: 'UPSCALE', index: '1' }],
    ['change', { taskId: '1', action: 7, index: 1 }],
    ['simple-change', { content: ['17 R'] }],
    ['modal', { taskId: {}, maskBase64: 'x' }],
    ['action', { taskId: '1', customId: 5 }],
  ])('cannot read %s with %j', (action, body) => {
    expect(() => readDrawingOrder(action, body, nothing)).toThrow('bind_request_body_failed');
  });

  it('takes null for a field that is absent, and fields that it does not know', () => {
    const body = { prompt: 'a cat', base64Array: null, botType: null, accountFilter: null, index: null, speed: 5 };
    expect(readDrawingOrder('imagine', body, nothing)).toMatchObject({ prompt: 'a cat' });
    expect(readDrawingOrder('modal', { taskId: 17 }, nothing)).toMatchObject({ originId: '17' });
  });

  it('needs both faces', () => {
    expect(() => readFaceSwap({ sourceBase64: 'a', targetBase64: 5 })).toThrow('bind_request_body_failed');
    expect(() => readFaceSwap({ sourceBase64: 'a' })).toThrow('sour_base64_and_target_base64_is_required');
    expect(readFaceSwap({ sourceBase64: 'a', targetBase64: 'b' })).toMatchObject({ model: 'swap_face' });
  });
});

describe('readButton', () => {
  it.each([
    ['MJ::JOB::upsample::2::3dbbd469', 'UPSCALE'],
    ['MJ::JOB::variation::3::3dbbd469', 'VARIATION'],
    ['MJ::JOB::low_variation::1::3dbbd469::SOLO', 'LOW_VARIATION'],
    ['MJ::JOB::high_variation::1::3dbbd469::SOLO', 'HIGH_VARIATION'],
    ['MJ::JOB::pan_left::1::3dbbd469::SOLO', 'PAN'],
    ['MJ::JOB::reroll::0::3dbbd469::SOLO', 'REROLL'],
    ['MJ::Outpaint::50::1::3dbbd469::SOLO', 'ZOOM'],
    ['MJ::CustomZoom::3dbbd469', 'CUSTOM_ZOOM'],
    ['MJ::Inpaint::1::3dbbd469::SOLO', 'INPAINT'],
  ])('reads %s', (customId, action) => {
    expect(readButton(customId)).toEqual({ action, lacksIndex: false });
  });

  it.each([
    ['MJ', 'unknown_action'],
    ['MJ::JOB::explode::1', 'unknown_action:MJ::JOB::explode::1'],
  ])('refuses %s', (customId, fault) => {
    expect(() => readButton(customId)).toThrow(fault);
  });
});

describe('withoutModes', () => {
  it.each([
    ['a cat --fast --v 6', 'a cat --v 6'],
    ['a cat --turbo', 'a cat'],
    ['--relax a cat --fastidious', 'a cat --fastidious'],
  ])('removes the speed from %s', (prompt, clear) => {
    expect(withoutModes(prompt)).toBe(clear);
  });

  it('keeps a long run of blanks within the time of linear work', () => {
    const blanks = ' '.repeat(500_000);
    const work = (): string => withoutModes(`a${blanks}cat --fast`);
    // Ends quadratic work, which would take minutes.
    expect(runInNewContext('work()', { work }, { timeout: 10_000 })).toBe(`a${blanks}cat`);
  });
});
