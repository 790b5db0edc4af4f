import { setUpSite } from '@tollgate/testing';
import { startCluster } from './cluster.js';
import { describeJourney } from './journey.js';

describeJourney('in a cluster of processes', async () => {
  const cluster = await startCluster();
  try {
    return { stand: await setUpSite(cluster.url), close: () => cluster.close() };
  } catch (error) {
    await cluster.close();
    throw error;
  }
});
