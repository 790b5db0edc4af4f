import { allServices } from '@tollgate/all-in-one';
import { startStand } from '@tollgate/testing';
import { describeJourney } from '../support/journey.js';

describeJourney('in one process', async () => {
  const stand = await startStand(allServices);
  return { stand, close: () => stand.close() };
});
