import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of PEM files. */
export interface TestCertificates {
  ca: string;
  /** Certificate of an authority that signed nothing. */
  other: string;
  key: string;
  certificate: string;
}

/** Creates a certificate authority and a certificate signed by it, by default for 127.0.0.1. */
export function makeCertificates(folder: string, names = 'IP:127.0.0.1'): TestCertificates {
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  for (const name of ['ca', 'other']) {
    const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)];
    openssl('req', '-x509', ...curve, '-days', '2', '-subj', `/CN=${name}`, ...out);
  }
  openssl('req', ...curve, '-subj', '/CN=server', '-keyout', file('server.key'), '-out', file('server.csr'));
  writeFileSync(file('names'), `subjectAltName=${names}\n`);
  const by = ['-CA', file('ca.crt'), '-CAkey', file('ca.key'), '-CAcreateserial', '-extfile', file('names')];
  openssl('x509', '-req', '-days', '2', '-in', file('server.csr'), ...by, '-out', file('server.crt'));
  return { ca: file('ca.crt'), other: file('other.crt'), key: file('server.key'), certificate: file('server.crt') };
}
