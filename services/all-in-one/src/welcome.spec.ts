import { describe, expect, it } from '@jest/globals';
import { welcome } from './welcome.js';

const started = {
  address: 'http://localhost:3000',
  dataDir: '/data',
  hasOwnDatabase: false,
  hasDemonstration: false,
  notes: ['set-up token: 0123'],
};

describe('what a start prints', () => {
  it('is the address, the data folder, the database and the notes', () => {
    expect(welcome(started)).toMatch(/ready at http:.*3000\n.* \/data\n.* of DATABASE_URL\n {2}set-up token: 0123\n/);
    expect(welcome({ ...started, hasOwnDatabase: true })).toContain('embedded PostgreSQL');
  });

  it('leads to a first request without a provider key, in a container too', () => {
    const channel = 'the first page of the console has a demonstration channel';
    expect(welcome({ ...started, hasDemonstration: true })).toContain(`Without a provider key: ${channel}`);
    expect(welcome(started)).toContain(`Without a provider key: with TOLLGATE_DEMONSTRATION=on ${channel}`);
    expect(welcome(started)).not.toContain('npm ');
  });
});
