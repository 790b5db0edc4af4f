import { describe, expect, it } from '@jest/globals';
import { envTable, readEnv } from './env.js';

describe('readEnv', () => {
  it('needs nothing: every variable has a default or is optional', () => {
    expect(readEnv({})).toMatchObject({
      PORT: 3000,
      TOLLGATE_DATA_DIR: './data',
      TOLLGATE_RATE_LIMITS: 'on',
      TOLLGATE_TRUSTED_PROXIES: '',
    });
  });

  it('treats an empty variable as absent', () => {
    expect(readEnv({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 3000, DATABASE_URL: undefined });
  });

  it('names every wrong variable at once', () => {
    expect(() => readEnv({ PORT: '70000', DATABASE_URL: 'mysql://x', TOLLGATE_SECRET_KEY: 'short' })).toThrow(
      /PORT.*DATABASE_URL.*TOLLGATE_SECRET_KEY.*\.env\.example/,
    );
  });

  it("reads the relay's switches in all usual spellings", () => {
    const of = (word: string) => readEnv({ FORCE_STREAM_OPTION: word }).FORCE_STREAM_OPTION;
    expect(['true', '1', 'on', 'false', '0', 'off'].map(of)).toEqual([true, true, true, false, false, false]);
    expect(readEnv({})).toMatchObject({
      ...{ AZURE_DEFAULT_API_VERSION: '2024-12-01-preview', COHERE_SAFETY_SETTING: 'NONE', DIFY_DEBUG: true },
      ...{ FORCE_STREAM_OPTION: true, GEMINI_VISION_MAX_IMAGE_NUM: 16, GET_MEDIA_TOKEN: true },
      ...{ GET_MEDIA_TOKEN_NOT_STREAM: true, MAX_FILE_DOWNLOAD_MB: 20 },
    });
    expect(() => readEnv({ DIFY_DEBUG: 'maybe', COHERE_SAFETY_SETTING: 'zork' })).toThrow(
      /COHERE_SAFETY_SETTING.*DIFY_DEBUG: expected true or false/,
    );
  });

  it('accepts the values that YAML makes of a switch', () => {
    expect(readEnv({ OTEL_SDK_DISABLED: 'on', COHERE_SAFETY_SETTING: 'off' })).toMatchObject({
      OTEL_SDK_DISABLED: true,
      COHERE_SAFETY_SETTING: 'OFF',
    });
    expect(readEnv({ OTEL_SDK_DISABLED: 'false' }).OTEL_SDK_DISABLED).toBe(false);
  });

  it('describes every variable', () => {
    for (const { name, meaning } of envTable) expect([name, meaning.length > 10]).toEqual([name, true]);
  });
});
