import { countsLine } from './counts.mjs';

const PARTS = [
  { suite: 'tools/kube/chart.spec.ts', what: 'the chart, rendered and compared with the schema of the API' },
  {
    suite: 'tools/kube/observability.spec.ts',
    what: 'the alerts, by promtool',
    // The rest of the suite reads files only and proves nothing about promtool.
    test: 'the alerts of the chart fire when they should, and are silent while all is well',
  },
  {
    suite: 'services/all-in-one/test/containers/kube/chart.container-spec.ts',
    what: 'the chart on a Kubernetes: installed, hurt, upgraded and rolled back',
  },
  { suite: 'tools/kube/chart-ways.spec.ts', what: 'the ways into the chart: routes, policies and addresses' },
  { suite: 'tools/kube/chart-values.spec.ts', what: 'what the chart makes of values, and which it refuses' },
];

/**
 * One line for each part of the chart: whether it was tested among these suites, and the outcome. A part whose programs
 * are missing is skipped and fails nothing.
 */
export const kubeNotes = (suites) => PARTS.map((part) => noteOf(part, suites));

/** Goes by the results of the suite, never by what is installed on this machine. */
function noteOf({ suite, what, test }, suites) {
  const found = suites.find((one) => one.suite === suite);
  if (!found) return `not run: ${what}`;
  const { passed, failed, left = [] } = found;
  const isLeft = passed + failed === 0 || (test !== undefined && left.includes(test));
  if (failed > 0) return `FAILED: ${what} (${countsLine(found)})`;
  if (isLeft) return `not run: ${what}; its line SKIPPED says why`;
  return [`passed: ${what} (${countsLine(found)})`, ...left.map((name) => `without: ${name}`)].join('; ');
}
