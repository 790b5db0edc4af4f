import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allServices } from '@tollgate/all-in-one';
import { createDatabase, Person, ROOT, setUpSite, type Site, type TestDatabase } from '@tollgate/testing';
import { type ChildProduct, startChild } from './child-product.js';

const schemas = () => allServices.flatMap(({ name, database }) => (database ? [{ name, ...database }] : []));

interface Kept {
  database: TestDatabase;
  dataDir: string;
  environment: Record<string, string>;
}

/** A product in a process of its own, set up, with a database and a data folder that survive its kills. */
export class LoneProduct {
  readonly database: TestDatabase;
  readonly dataDir: string;
  private readonly environment: Record<string, string>;
  private child: ChildProduct;
  /** The administrator in it is signed in to the running process. */
  site: Site;

  private constructor(kept: Kept, child: ChildProduct, site: Site) {
    this.database = kept.database;
    this.dataDir = kept.dataDir;
    this.environment = kept.environment;
    this.child = child;
    this.site = site;
  }

  static async open(environment: Record<string, string> = {}): Promise<LoneProduct> {
    const database = await createDatabase(schemas());
    const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-lone-'));
    const child = await startChild(database.url, dataDir, { environment });
    return new LoneProduct({ database, dataDir, environment }, child, await setUpSite(child.url));
  }

  get url(): string {
    return this.child.url;
  }

  get pid(): number {
    return this.child.pid;
  }

  /** SIGKILL: the process cannot clean up. */
  kill(): Promise<void> {
    return this.child.kill();
  }

  /** Resolves to the exit code after a full drain. */
  stop(): Promise<number | null> {
    return this.child.stop();
  }

  /** Starts the product again with the same data, after it has ended, and signs the administrator in. */
  async restart(): Promise<void> {
    this.child = await startChild(this.database.url, this.dataDir, { environment: this.environment });
    const root = new Person(this.url);
    await root.signIn(ROOT.username, ROOT.password);
    this.site = { ...this.site, url: this.url, root };
  }

  /** Stops the product and removes its data; resolves to the exit code. */
  async close(): Promise<number | null> {
    const code = await this.stop();
    await this.database.drop();
    rmSync(this.dataDir, { recursive: true, force: true });
    return code;
  }
}
