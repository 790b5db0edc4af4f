import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { allEvents } from '@tollgate/contracts';
import type { Env } from '../config/env.js';
import { SecretBox } from '../crypto/secret-box.js';
import { secretKeyFor } from '../crypto/secret-key-file.js';
import { startEmbeddedPostgres } from '../db/embedded-postgres.js';
import { TableEventLog } from '../events/table-event-log.js';
import { MemoryKeyValue } from '../key-value/memory-key-value.js';
import { persistentSessions } from '../key-value/persistent-sessions.js';
import { Logger } from '../log/logger.js';
import { parseAllowance } from '../outbound/address-policy.js';
import { OutboundClient } from '../outbound/outbound-client.js';
import type { ServiceDefinition } from './define-service.js';
import { Host } from './host.js';
import { type RunningService, startService } from './start-service.js';

export interface RunningProcess {
  host: Host;
  services: ReadonlyMap<string, RunningService>;
  /** What a person should know about where things are kept. */
  notes: string[];
  /** Drains and stops all services in reverse order, then what they share, the embedded database last. Safe to call twice. */
  stop(): Promise<void>;
}

interface Shared {
  host: Host;
  notes: string[];
  stop(): Promise<void>;
}

/** Starts services that share one process: what they have in common first, then each, then their work. */
export async function startProcess(definitions: readonly ServiceDefinition[], env: Env): Promise<RunningProcess> {
  const shared = await startShared(env);
  const services = new Map<string, RunningService>();
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    for (const service of [...services.values()].reverse()) await service.stop();
    await shared.stop();
  };
  const process = { host: shared.host, services, notes: shared.notes, stop: () => (stopping ??= stop()) };
  try {
    for (const definition of definitions) services.set(definition.name, await startService(definition, shared.host));
    for (const service of services.values()) await service.ready();
  } catch (error) {
    await process.stop();
    throw error;
  }
  return process;
}

async function startShared(env: Env): Promise<Shared> {
  const dataDir = resolve(env.TOLLGATE_DATA_DIR);
  mkdirSync(dataDir, { recursive: true });
  const logger = Logger.root(env.LOG_LEVEL);
  const notes: string[] = [];
  const { secret, file } = secretKeyFor(env.TOLLGATE_SECRET_KEY, dataDir);
  if (file !== undefined) notes.push(`secret key: ${file} (keep a copy: without it stored secrets cannot be read)`);

  const embedded = env.DATABASE_URL === undefined ? await startEmbeddedPostgres({ dataDir, log: logger }) : undefined;
  notes.push(...(embedded?.notes ?? []));
  const databaseUrl = env.DATABASE_URL ?? embedded?.url ?? '';
  const secrets = new SecretBox(secret);
  const eventLog = new TableEventLog({ url: databaseUrl, log: logger });
  const outbound = new OutboundClient(parseAllowance(env.TOLLGATE_OUTBOUND_ALLOW));
  try {
    await eventLog.start(allEvents.map(({ name, partitions }) => ({ name, partitions })));
    const keyValue = await persistentSessions(new MemoryKeyValue(), databaseUrl, logger);
    const parts = { env, logger, secrets, keyValue, eventLog, outbound, dataDir, databaseUrl };
    const host: Host = Object.assign(new SharedHost(), parts);
    return {
      host,
      notes,
      async stop() {
        await eventLog.stop();
        await keyValue.stop();
        await outbound.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** Filled by `startShared`; a class only because `Host` is also the injection token. */
class SharedHost extends Host {
  declare env: Host['env'];
  declare logger: Host['logger'];
  declare secrets: Host['secrets'];
  declare keyValue: Host['keyValue'];
  declare eventLog: Host['eventLog'];
  declare outbound: Host['outbound'];
  declare dataDir: Host['dataDir'];
  declare databaseUrl: Host['databaseUrl'];
}
