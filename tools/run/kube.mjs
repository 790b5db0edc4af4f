import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { countsLine } from './counts.mjs';

const kubeHome = () => process.env.KUBE_HOME ?? path.join(homedir(), '.cache', 'kube');

/** As the suites look for them. */
const hasProgram = (name, variable) =>
  [process.env[variable], ...(process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name))]
    .concat(path.join(kubeHome(), 'bin', name))
    .some((file) => file && existsSync(file));

const PARTS = [
  {
    suite: 'tools/kube/chart.spec.ts',
    what: 'the chart, rendered and compared with the schema of the API',
    lacks: () => hasProgram('helm', 'HELM') || 'there is no helm (set HELM)',
  },
  {
    suite: 'tools/kube/observability.spec.ts',
    what: 'the alerts, by promtool',
    lacks: () => hasProgram('promtool', 'PROMTOOL') || 'there is no promtool (set PROMTOOL)',
  },
  {
    suite: 'services/all-in-one/test/containers/kube/chart.container-spec.ts',
    what: 'the chart on a Kubernetes: installed, hurt, upgraded and rolled back',
    lacks: () => 'its line SKIPPED says why',
  },
];

/** What of the chart was tried among these suites and what it came to, in a line each; what lacks its programs is skipped and fails nothing. */
export const kubeNotes = (suites) => PARTS.map((part) => noteOf(part, suites));

function noteOf({ suite, what, lacks }, suites) {
  const found = suites.find((one) => one.suite === suite);
  if (!found) return `not run: ${what}`;
  const { passed, failed, skipped } = found;
  const why = skipped > 0 ? [lacks()].filter((reason) => reason !== true) : [];
  if (passed + failed === 0) return [`not run: ${what}`, ...why].join('; ');
  return [`${failed > 0 ? 'FAILED' : 'passed'}: ${what} (${countsLine(found)})`, ...why].join('; ');
}
