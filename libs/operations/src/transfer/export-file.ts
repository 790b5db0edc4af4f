import { createReadStream, createWriteStream, existsSync, renameSync, rmSync, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { AppliedMigrations } from '../migrate/all-schemas.js';
import { AppError } from '@tollgate/chassis';
import type { Catalogue, TableShape, TableSum } from './catalogue.js';

/**
 * The first line of an export. It does not contain the secret key, only a value by which the same key is recognised.
 */
export interface ExportHeader {
  format: 'tollgate-export';
  formatVersion: 1;
  product: string;
  madeAt: string;
  keyCheck: string;
  migrations: AppliedMigrations;
  partitions: Catalogue['partitions'];
  sequences: Catalogue['sequences'];
  /** Figures that the imported copy must reproduce, by schema and name. */
  proofs: Record<string, string>;
}

/** The line before the rows of a table. */
interface TableSection extends TableSum {
  table: TableShape;
}

/** Ends the rows of a table, as COPY itself does; no row can look like it. */
const END_OF_ROWS = Buffer.from('\\.\n');
const LAST_LINE = { end: true } as const;
const PIECE_BYTES = 64 * 1024;
const NEWLINE = 10;

export const unreadable = (path: string, why: string): AppError =>
  new AppError('invalid', 'export-unreadable', `${path} cannot be imported: ${why}.`);

/**
 * Writes a compressed file of JSON lines with the rows of tables in between. The file gets its name only once it is
 * complete.
 */
export class ExportWriter {
  private readonly gzip = createGzip();
  private readonly draft: string;
  private readonly disk: WriteStream;
  private readonly done: Promise<void>;

  constructor(private readonly path: string) {
    if (existsSync(path)) throw new AppError('invalid', 'export-exists', `${path} exists already; name another file.`);
    this.draft = `${path}.part`;
    this.disk = this.gzip.pipe(createWriteStream(this.draft, { mode: 0o600 }));
    this.done = finished(this.disk);
    this.done.catch(() => undefined);
  }

  private async write(chunk: Buffer | string): Promise<void> {
    if (!this.gzip.write(chunk)) await Promise.race([once(this.gzip, 'drain'), this.done]);
  }

  line(value: ExportHeader | TableSection | typeof LAST_LINE): Promise<void> {
    return this.write(`${JSON.stringify(value)}\n`);
  }

  async rows(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of chunks) await this.write(chunk);
    await this.write(END_OF_ROWS);
  }

  async finish(): Promise<void> {
    await this.line(LAST_LINE);
    this.gzip.end();
    await this.done;
    renameSync(this.draft, this.path);
  }

  async discard(): Promise<void> {
    this.gzip.destroy();
    this.disk.destroy();
    await this.done.catch(() => undefined);
    rmSync(this.draft, { force: true });
  }
}

/** Reads the file of an `ExportWriter`, in the same order. */
export class ExportReader {
  private readonly lines: AsyncGenerator<Buffer>;

  constructor(private readonly path: string) {
    this.lines = linesOf(path);
  }

  private async nextJson(): Promise<Record<string, unknown>> {
    const { value } = await this.lines.next();
    if (value === undefined) throw unreadable(this.path, 'it ends too early');
    try {
      return JSON.parse((value as Buffer).toString()) as Record<string, unknown>;
    } catch (error) {
      throw unreadable(this.path, `it is no export of Tollgate (${(error as Error).message})`);
    }
  }

  async header(): Promise<ExportHeader> {
    const header = (await this.nextJson()) as Partial<ExportHeader>;
    if (header.format !== 'tollgate-export') throw unreadable(this.path, 'it is no export of Tollgate');
    if (header.formatVersion !== 1)
      throw unreadable(this.path, `its format ${header.formatVersion} is newer than this version of Tollgate`);
    return header as ExportHeader;
  }

  /** `undefined` after the last table. */
  async section(): Promise<TableSection | undefined> {
    const line = await this.nextJson();
    return line['end'] === true ? undefined : (line as unknown as TableSection);
  }

  /** The rows of the section that was just read, in pieces. They must be read to the end. */
  async *rows(): AsyncGenerator<Buffer> {
    let pending: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const { value } = await this.lines.next();
      if (value === undefined) throw unreadable(this.path, 'it ends within a table');
      const line = value as Buffer;
      const isEnd = line.equals(END_OF_ROWS);
      if (!isEnd) {
        pending.push(line);
        bytes += line.length;
      }
      if (pending.length > 0 && (isEnd || bytes > PIECE_BYTES)) {
        yield Buffer.concat(pending);
        pending = [];
        bytes = 0;
      }
      if (isEnd) return;
    }
  }

  async close(): Promise<void> {
    await this.lines.return(undefined);
  }
}

async function* linesOf(path: string): AsyncGenerator<Buffer> {
  const source = createReadStream(path);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  let rest: Buffer[] = [];
  try {
    for await (const chunk of source.pipe(gunzip) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        const line = chunk.subarray(start, end + 1);
        yield rest.length === 0 ? line : Buffer.concat([...rest, line]);
        rest = [];
        start = end + 1;
      }
      if (start < chunk.length) rest.push(Buffer.from(chunk.subarray(start)));
    }
  } catch (error) {
    throw unreadable(path, (error as Error).message);
  } finally {
    source.destroy();
  }
}
