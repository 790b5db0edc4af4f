import { describe, expect, it } from '@jest/globals';
import { dialectSettings } from './dialect-settings.js';

const options = { get: () => ({}) as never };
const usual = {
  ...{ AZURE_DEFAULT_API_VERSION: '2024-12-01-preview', COHERE_SAFETY_SETTING: 'NONE', DIFY_DEBUG: true },
  ...{ FORCE_STREAM_OPTION: true, GEMINI_VISION_MAX_IMAGE_NUM: 16 },
};

describe('the variables that shape upstream requests', () => {
  it('have the documented defaults', () => {
    const settings = dialectSettings(options, usual);
    expect(settings).toMatchObject({
      azureApiVersion: '2024-12-01-preview',
      forceStreamUsage: true,
      hidesSteps: false,
    });
    expect([settings.cohereSafetyMode, settings.gemini.maxImages]).toEqual([undefined, 16]);
  });

  it('take effect where they say otherwise', () => {
    const other = { COHERE_SAFETY_SETTING: 'STRICT', DIFY_DEBUG: false, GEMINI_VISION_MAX_IMAGE_NUM: -1 };
    const settings = dialectSettings(options, { ...usual, ...other });
    expect(settings).toMatchObject({ cohereSafetyMode: 'STRICT', hidesSteps: true });
    expect(settings.gemini.maxImages).toBeUndefined();
  });
});
