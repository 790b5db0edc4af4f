import { allServices } from '@tollgate/all-in-one';
import { startTestBed } from '@tollgate/testing';
import { describeJourney } from '../support/journey.js';

describeJourney('in one process', async () => {
  const testBed = await startTestBed(allServices);
  return { testBed, close: () => testBed.close() };
});
