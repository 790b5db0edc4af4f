import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/*
 * Debian has no Kafka package, but Maven can download the broker's jars. They are cached in the user's cache folder, outside every working
 * copy, so that only the first run on a machine downloads them.
 */
const KAFKA_VERSION = '4.3.1';
const DOWNLOAD_MS = 10 * 60_000;
const run = promisify(execFile);

const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tollgate</groupId>
  <artifactId>broker</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${KAFKA_VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka-tools</artifactId>
      <version>${KAFKA_VERSION}</version>
      <!-- The console consumer needs nothing that the broker does not have; other tools need much more. -->
      <exclusions>
        <exclusion>
          <groupId>*</groupId>
          <artifactId>*</artifactId>
        </exclusion>
      </exclusions>
    </dependency>
  </dependencies>
</project>
`;

/** What this machine lacks to run a broker; undefined if nothing. */
export async function missingForKafka(): Promise<string | undefined> {
  const lacking = [];
  if (!(await answers('java', ['-version']))) lacking.push('Java 17 (openjdk-17-jre-headless)');
  if (!existsSync(jarFolder()) && !(await answers('mvn', ['-v']))) lacking.push('Maven (maven)');
  return lacking.length === 0 ? undefined : `${lacking.join(' and ')} not found`;
}

async function answers(command: string, args: string[]): Promise<boolean> {
  return run(command, args, { timeout: 30_000 }).then(
    () => true,
    () => false,
  );
}

const cacheFolder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tollgate');
const jarFolder = (): string => join(cacheFolder(), `kafka-${KAFKA_VERSION}-with-tools`);

/**
 * The class path of the broker. If two first runs download at once, the second rename fails and both use the first
 * copy.
 */
export async function kafkaClassPath(): Promise<string> {
  const folder = jarFolder();
  if (!existsSync(folder)) {
    await mkdir(cacheFolder(), { recursive: true });
    const draft = await mkdtemp(join(cacheFolder(), 'kafka-draft-'));
    try {
      await writeFile(join(draft, 'pom.xml'), project);
      const output = join(draft, 'libs');
      const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${output}`];
      await run('mvn', ['-q', '-B', ...goal], { cwd: draft, timeout: DOWNLOAD_MS });
      await rename(output, folder).catch((error: unknown) => {
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  return join(folder, '*');
}
