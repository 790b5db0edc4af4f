import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@tollgate/testing';
import { describeJourney } from '../../support/journey.js';
import { missingForContainers } from '../podman.js';
import { faultOfMachine, isReady, missingForKube, type Pod, takeDown } from './cluster.js';
import { failuresOf, KubeStage } from './stage.js';

const missing = missingForContainers() ?? missingForKube() ?? (await faultOfMachine());
if (missing !== undefined) process.stderr.write(`SKIPPED: the chart on a Kubernetes was not run: ${missing}\n`);
/**
 * Each step has its own time limit, and none begins after this time, so that a slow machine does not hold up the whole
 * run.
 */
const deadline = performance.now() + 30 * 60_000;

const VALUES = 'services/all-in-one/test/containers/kube/values.yaml';
/** Streams of forty words, so ten seconds each. */
const LONG_STREAMS = 12;
const WORDS_PER_SECOND = 4;
const SERVICES = ['gateway', 'relay', 'identity', 'billing', 'channel', 'logging'];

(missing === undefined ? describe : describe.skip)('helm/tollgate on a Kubernetes', () => {
  let stage: KubeStage;

  beforeAll(async () => {
    stage = await KubeStage.open();
  }, 1_200_000);
  beforeEach(() => {
    if (performance.now() > deadline) throw new Error('not begun: this suite has run for half an hour already');
  });
  afterAll(async () => {
    await stage?.close();
    await takeDown();
  }, 300_000);

  describeJourney(
    'on a Kubernetes',
    () => Promise.resolve({ testBed: stage.site, close: () => Promise.resolve() }),
    '10.244.0.1',
  );

  it('passes its own test', async () => {
    await stage.cluster.helm('test', 'tollgate', '--timeout', '2m');
  }, 150_000);

  describe('with clients', () => {
    beforeAll(() => stage.prepare(), 60_000);

    it('books every charge when a relay is killed with open streams', async () => {
      const [relay] = await stage.cluster.pods('relay');
      if (!relay) throw new Error('no relay runs');
      const seen = await stage.underLoad(12, async (load) => {
        // Enough long streams that each relay has some, however the node distributes them.
        const streams = load.streams(LONG_STREAMS, WORDS_PER_SECOND);
        await load.until(() => load.flowing >= LONG_STREAMS);
        stage.relayDeaths.push(performance.now());
        await stage.cluster.kill(relay);
        await stage.untilReady(
          'relay',
          2,
          (pod) => isReady(pod) && (pod.metadata.name !== relay.metadata.name || restartsOf(pod) > 0),
        );
        await streams;
      });
      expect(failuresOf(seen).length).toBeGreaterThan(0);
      expect(await stage.verdict()).toMatchObject({ lost: 0, doubled: 0, faults: [] });
    }, 300_000);

    it('fails no client while all pods are drained off a node', async () => {
      const seen = await stage.underLoad(40, async () => {
        for (const service of SERVICES) {
          for (const pod of await stage.cluster.pods(service)) {
            const count = (await stage.cluster.pods(service)).filter(isReady).length;
            await stage.cluster.evict(pod);
            await stage.untilReady(service, count, ({ metadata }) => metadata.uid !== pod.metadata.uid);
          }
        }
      });
      expect(failuresOf(seen)).toEqual([]);
      expect(await stage.verdict()).toMatchObject({ lost: 0, doubled: 0, faults: [] });
    }, 600_000);

    it('fails no client while an upgrade and a roll-back replace every pod', async () => {
      const files = ['-f', VALUES];
      const before = new Set((await stage.cluster.pods()).map(({ metadata }) => metadata.uid));
      const seen = await stage.underLoad(30, async () => {
        const next = ['upgrade', 'tollgate', 'helm/tollgate', ...files, '--set', 'image.tag=next'];
        await stage.cluster.roll(...next);
        const upgraded = (await stage.cluster.pods()).filter(isReady);
        expect(upgraded.filter(({ metadata }) => before.has(metadata.uid))).toEqual([]);
        await stage.cluster.roll('rollback', 'tollgate', '1');
      });
      expect(failuresOf(seen)).toEqual([]);
      expect(await stage.verdict()).toMatchObject({ lost: 0, doubled: 0, faults: [] });
    }, 900_000);

    it('adds relays under load, and removes them afterwards', async () => {
      const isMeasured = await stage.cluster.isMeasured();
      if (!isMeasured)
        process.stderr.write('SKIPPED: the autoscaler, because this cluster measures no processors; scaled by hand\n');
      const seen = await stage.underLoad(40, () => (isMeasured ? scaleByLoad(stage) : scaleByHand(stage)));
      expect(failuresOf(seen)).toEqual([]);
      expect(await stage.verdict()).toMatchObject({ lost: 0, doubled: 0, faults: [] });
    }, 900_000);
  });
});

/** An autoscaler with short delays, which may add one relay to the existing two. */
async function scaleByLoad(stage: KubeStage): Promise<void> {
  const { cluster } = stage;
  const scaling = ['enabled=true', 'metric=cpu', 'target=100', 'minReplicas=2', 'maxReplicas=3', 'scaleDownSeconds=15'];
  const settings = [
    // A relay with few requests stays below this value, and one with a crowd exceeds it, also where the node has other
    // work and the crowd gets little of it.
    ...['--set', 'services.relay.resources.requests.cpu=30m'],
    ...scaling.flatMap((setting) => ['--set', `services.relay.autoscaling.${setting}`]),
  ];
  await cluster.roll('upgrade', 'tollgate', 'helm/tollgate', '-f', VALUES, ...settings);
  // The autoscaler controls the number from here on; nothing may set it back to one.
  expect(await cluster.relaysWanted()).toBeGreaterThanOrEqual(2);
  const answered = await stage.crowded(() =>
    eventually('a third relay', async () => (await cluster.relaysWanted()) === 3, 240_000),
  );
  expect(answered).toBeGreaterThan(0);
  await stage.untilReady('relay', 3);
  await eventually('the end of the third relay', async () => (await cluster.pods('relay')).length === 2, 300_000);
}

async function scaleByHand(stage: KubeStage): Promise<void> {
  await stage.cluster.kubectl('scale', 'statefulset/tollgate-relay', '--replicas=3');
  await stage.untilReady('relay', 3);
  await stage.cluster.kubectl('scale', 'statefulset/tollgate-relay', '--replicas=2');
  await eventually('the end of the third relay', async () => (await stage.cluster.pods('relay')).length === 2, 120_000);
}

const restartsOf = ({ status }: Pod): number => status.containerStatuses?.[0]?.restartCount ?? 0;
