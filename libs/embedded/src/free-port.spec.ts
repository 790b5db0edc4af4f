import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimPort, freePort, isFree } from './free-port.js';

describe('a free port', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-claims-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const claimed = (pid: number): boolean => {
    writeFileSync(join(folder, '20001'), String(pid));
    return claimPort(folder, 20_001);
  };

  it('is outside the range of outgoing connections, and is returned only once', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
    expect(new Set(ports).size).toBe(20);
    expect(ports.every((port) => port >= 20_000 && port < 30_000)).toBe(true);
    expect(await Promise.all(ports.map(isFree))).not.toContain(false);
  });

  it('is claimed only once, by a file with the process id', () => {
    expect([claimPort(folder, 20_001), claimPort(folder, 20_001)]).toEqual([true, false]);
    expect(readdirSync(folder)).toEqual(['20001']);
    expect(readFileSync(join(folder, '20001'), 'utf8')).toBe(String(process.pid));
  });

  it('is not one claimed by another living process', () => {
    expect(claimed(process.ppid)).toBe(false);
  });

  it('may be one claimed by a dead process', () => {
    // A process id above the limit of Linux, so no such process exists.
    expect(claimed(4_194_305)).toBe(true);
  });

  it('is returned without a claim if no file can be written', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(claimPort(join(folder, 'file'), 20_001)).toBe(true);
  });
});
