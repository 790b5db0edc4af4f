import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { envTable } from '@tollgate/chassis';
import { optionKeys } from '@tollgate/contracts';

/**
 * Environment variables of other gateways of this family. For an operator who migrates, docs/environment.md tells what
 * replaces each of them.
 */
const KNOWN = `
PORT SQL_DSN LOG_SQL_DSN SQLITE_PATH SQL_MAX_IDLE_CONNS SQL_MAX_OPEN_CONNS SQL_MAX_LIFETIME REDIS_CONN_STRING REDIS_POOL_SIZE SYNC_FREQUENCY
MEMORY_CACHE_ENABLED BATCH_UPDATE_ENABLED BATCH_UPDATE_INTERVAL SESSION_SECRET CRYPTO_SECRET FRONTEND_BASE_URL NODE_TYPE POLLING_INTERVAL
RELAY_TIMEOUT STREAMING_TIMEOUT FORCE_STREAM_OPTION GET_MEDIA_TOKEN GET_MEDIA_TOKEN_NOT_STREAM UPDATE_TASK MAX_FILE_DOWNLOAD_MB
GEMINI_VISION_MAX_IMAGE_NUM DIFY_DEBUG AZURE_DEFAULT_API_VERSION COHERE_SAFETY_SETTING GEMINI_SAFETY_SETTING NOTIFY_LIMIT_COUNT
NOTIFICATION_LIMIT_DURATION_MINUTE GENERATE_DEFAULT_TOKEN ENABLE_PPROF GLOBAL_API_RATE_LIMIT_ENABLE GLOBAL_API_RATE_LIMIT
GLOBAL_API_RATE_LIMIT_DURATION GLOBAL_WEB_RATE_LIMIT_ENABLE CHANNEL_TEST_FREQUENCY CHANNEL_UPDATE_FREQUENCY ERROR_LOG_ENABLED
MAX_REQUEST_BODY_MB TASK_TIMEOUT_MINUTES
`
  .trim()
  .split(/\s+/);

const page = readFileSync(path.resolve(import.meta.dirname, '../docs/running.md'), 'utf8');
const section = page.split('## Variables of other gateways')[1]?.split('\n## ')[0] ?? '';
const namesIn = (text: string): string[] => [...text.matchAll(/`([\w.]+)`/g)].map(([, name]) => name ?? '');
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|'));
const elsewhere = rows.flatMap(([, there = '']) => namesIn(there));
const ours = new Set<string>(envTable.map(({ name }) => name));

describe('variables of other gateways', () => {
  it('are read, or the page documents their replacement', () => {
    expect(KNOWN.filter((name) => ours.has(name) === elsewhere.includes(name))).toEqual([]);
    expect(elsewhere.filter((name) => !KNOWN.includes(name))).toEqual([]);
  });

  it('have a replacement that exists', () => {
    const options = new Set<string>(optionKeys);
    const named = [...rows.flatMap(([, , here = '']) => namesIn(here)), ...namesIn(section.split('| there')[0] ?? '')];
    expect(named.filter((name) => !ours.has(name) && !options.has(name))).toEqual([]);
  });
});
