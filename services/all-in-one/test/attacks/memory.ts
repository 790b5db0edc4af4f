import { connect } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scenarios } from '@tollgate/testing';
import { type Arena, canMeasure, chat, peakOf } from './arena.js';

const MB = 1024 * 1024;
/** Maximum growth of all processes together in MiB; an attack sends or decompresses many times as much. */
const ALLOWED = 320;
const PATIENCE_MS = 20_000;
/** Decompressed size of a compressed body: its size is allowed, but not its compression ratio. */
const BOMB = 40 * MB;

interface Flooded {
  /** Number of bytes accepted before the reply or the end of the connection. */
  accepted: number;
  status: number;
}

/** Sends a head, then bytes for as long as they are accepted. */
function flood(url: string, bytes: number, headers: Record<string, string> = {}): Promise<Flooded> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    const piece = Buffer.alloc(64 * 1024, ' ');
    let accepted = 0;
    let answer = '';
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ accepted, status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0) });
    };
    const timer = setTimeout(end, PATIENCE_MS);
    const send = (): void => {
      if (accepted >= bytes || socket.destroyed || answer !== '') return;
      // Counted when the operating system has accepted the bytes; with a full TCP window nothing is counted.
      socket.write(piece, () => {
        accepted += piece.length;
        send();
      });
    };
    socket.on('error', end);
    socket.on('close', end);
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (answer.includes('\r\n\r\n')) setTimeout(end, 20);
    });
    socket.on('connect', () => {
      const lines = Object.entries({
        Host: 'x',
        'Content-Type': 'application/json',
        'Content-Length': bytes,
        ...headers,
      });
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      );
      send();
    });
  });
}

/** A small body that decompresses to `bytes` of a valid request. */
function packed(model: string, bytes: number, pack: (text: Buffer) => Buffer): Buffer {
  const head = Buffer.from(`{"model":"${model}","messages":[{"role":"user","content":"hi"}]`);
  return pack(Buffer.concat([head, Buffer.alloc(bytes, ' '), Buffer.from('}')]));
}

/** Low quality, because Brotli's best compression would take longer than the attack. */
const byBrotli = (text: Buffer): Buffer =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

const count = <T>(number: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: number }, make));

/** Clients that send large bodies, or small ones that decompress to large ones. */
export const describeIncomingAttacks = (where: string, open: () => Promise<Arena>): void =>
  (canMeasure ? describe : describe.skip)(`bodies that fill memory, ${where}`, () => {
    let arena: Arena;
    beforeAll(async () => {
      arena = await open();
    }, 240_000);
    afterAll(() => arena?.close(), 120_000);

    it.each([
      ['without a key', {}, 401],
      ['with a key that nobody has', { Authorization: `Bearer sk-${'a'.repeat(48)}` }, 401],
    ])(
      'from %s are not read',
      async (_, headers, status) => {
        const floods: Flooded[] = [];
        const grown = await peakOf(arena, async () => {
          floods.push(...(await count(20, () => flood(arena.site.url, 30 * MB, headers))));
        });
        expect(new Set(floods.map((one) => one.status))).toEqual(new Set([status]));
        // Only socket buffers of both sides are filled, not the thirty megabytes.
        expect(Math.max(...floods.map(({ accepted }) => accepted)) / MB).toBeLessThan(16);
        expect(grown).toBeLessThan(ALLOWED);
        await arena.expectService();
      },
      60_000,
    );

    it('from a caller with an empty wallet are neither read nor decompressed', async () => {
      const scene = await arena.stage(scenarios.claim(3, 2), { quota: 0 });
      const floods: Flooded[] = [];
      const statuses: number[] = [];
      const bomb = packed(scene.model, BOMB, byBrotli);
      const grown = await peakOf(arena, async () => {
        const replies = await count(40, () => chat(arena, scene, bomb, { headers: { 'content-encoding': 'br' } }));
        statuses.push(...replies.map((reply) => reply.status));
        floods.push(
          ...(await count(20, () => flood(arena.site.url, 30 * MB, { Authorization: `Bearer ${scene.key}` }))),
        );
      });
      expect(new Set(statuses)).toEqual(new Set([403]));
      expect(new Set(floods.map(({ status }) => status))).toEqual(new Set([403]));
      expect(grown).toBeLessThan(ALLOWED);
      expect(scene.endpoint.seen()).toEqual([]);
      await arena.expectService();
    }, 60_000);

    it('that grow a hundredfold when decompressed are refused, also from a paying caller', async () => {
      const scene = await arena.stage(scenarios.claim(3, 2));
      const bombs = [
        ['br', packed(scene.model, BOMB, byBrotli)],
        ['gzip', packed(scene.model, BOMB, gzipSync)],
      ] as const;
      for (const [encoding, body] of bombs) {
        const statuses: number[] = [];
        const grown = await peakOf(arena, async () => {
          const replies = await count(20, () =>
            chat(arena, scene, body, { headers: { 'content-encoding': encoding } }),
          );
          statuses.push(...replies.map((reply) => reply.status));
        });
        expect([encoding, statuses.filter((status) => ![400, 413, 503].includes(status))]).toEqual([encoding, []]);
        expect([encoding, grown < ALLOWED]).toEqual([encoding, true]);
      }
      expect(scene.endpoint.seen()).toEqual([]);
      await arena.expectService();
    }, 60_000);

    it('from a paying caller wait for memory when there are many', async () => {
      const scene = await arena.stage(scenarios.claim(3, 2), { quota: 100 * 30 * MB });
      const statuses: number[] = [];
      const grown = await peakOf(arena, async () => {
        const body = packed(scene.model, 24 * MB, (text) => text);
        const replies = await count(12, () =>
          chat(arena, scene, body).then(
            (reply) => reply,
            () => undefined,
          ),
        );
        statuses.push(...replies.map((reply) => reply?.status ?? 0));
      });
      // Refused for now, or served. No process accepts more at once than its limit, a third of what was sent.
      expect(statuses.filter((status) => ![200, 503, 0].includes(status))).toEqual([]);
      expect(grown).toBeLessThan(arena.readers * ((12 * 24 * 3) / 2));
      await arena.expectService();
    }, 180_000);

    it('that never arrive do not block other callers', async () => {
      const sockets = await Promise.all(
        Array.from({ length: 200 }, async () => {
          const socket = connect(Number(new URL(arena.site.url).port), '127.0.0.1');
          socket.on('error', () => undefined);
          await new Promise((resolve) => socket.once('connect', resolve));
          socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n');
          return socket;
        }),
      );
      await arena.expectService();
      for (const socket of sockets) socket.destroy();
    }, 60_000);

    it('leave books without faults', () => arena.expectTrueBooks(), 60_000);
  });

/** Upstreams with excessively large replies. */
export const describeReplyAttacks = (where: string, open: () => Promise<Arena>): void =>
  (canMeasure ? describe : describe.skip)(`replies without measure, ${where}`, () => {
    let arena: Arena;
    beforeAll(async () => {
      arena = await open();
    }, 240_000);
    afterAll(() => arena?.close(), 120_000);

    it.each([
      ['beyond the limit', scenarios.sprawl(72 * MB), false],
      ['that unpack to hundreds of megabytes', scenarios.bomb(150 * MB), false],
      ['that unpack to hundreds of megabytes by Brotli', scenarios.bomb(150 * MB, 'br'), false],
      ['that are packed streams of nothing', scenarios.bomb(150 * MB), true],
      ['of one line that never ends', scenarios.babble('one line', 40 * MB), true],
      ['of a header that never ends', scenarios.hugeHeader(MB), false],
    ])(
      '%s become errors, and only a small part of them stays in memory',
      async (_, scenario, stream) => {
        const scene = await arena.stage(scenario);
        const answers: string[] = [];
        const grown = await peakOf(arena, async () => {
          answers.push(
            ...(await count(3, async () => {
              const reply = await chat(arena, scene, { stream }, { signal: AbortSignal.timeout(PATIENCE_MS) });
              return `${reply.status} ${(await reply.text()).slice(0, 2_000)}`;
            })),
          );
        });
        for (const answer of answers) expect(answer).toMatch(/"error"/);
        expect(grown).toBeLessThan(ALLOWED * 2);
        await arena.expectService();
      },
      60_000,
    );

    it('go to another channel when there is one', async () => {
      const scene = await arena.stage(scenarios.sprawl(72 * MB), { channel: { priority: 10 } });
      await arena.site.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '2' });
      const good = arena.hostile.endpoint(scenarios.claim(3, 2));
      await arena.site.channel({ name: `${scene.model} good`, base_url: good.url, models: scene.model });
      const ask = async (): Promise<[number, string]> => {
        const reply = await chat(arena, scene, {}, { signal: AbortSignal.timeout(PATIENCE_MS) });
        return [reply.status, await reply.text()];
      };
      // The relay learns of the channel and of the option within a second.
      let answer = await ask();
      for (let turn = 0; turn < 10 && answer[0] !== 200; turn += 1) answer = await ask();
      expect(answer).toEqual([200, expect.stringContaining('w2')]);
    }, 30_000);

    it('leave books without faults', () => arena.expectTrueBooks(), 60_000);
  });
