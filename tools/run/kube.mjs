import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const kubeHome = () => process.env.KUBE_HOME ?? path.join(homedir(), '.cache', 'kube');

/** As the suites look for them. */
const hasProgram = (name, variable) =>
  [process.env[variable], ...(process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name))]
    .concat(path.join(kubeHome(), 'bin', name))
    .some((file) => file && existsSync(file));

/** What of the chart was tried in this run, in a line each; suites without their programs are skipped and fail nothing. */
export function kubeNotes() {
  const scripts = process.env.TOLLGATE_KUBE ?? '';
  const isUp = existsSync(path.join(scripts, 'up.sh')) && existsSync(path.join(kubeHome(), 'bin', 'kubelet'));
  return [
    hasProgram('helm', 'HELM')
      ? 'the chart: every example was rendered and compared with the schema of the API'
      : 'the chart was NOT rendered: there is no helm (set HELM)',
    hasProgram('promtool', 'PROMTOOL')
      ? 'the alerts: tried by promtool'
      : 'the alerts were NOT tried: there is no promtool (set PROMTOOL)',
    isUp && process.getuid?.() === 0
      ? 'Kubernetes: the chart was installed, hurt, upgraded and rolled back on a real one'
      : 'Kubernetes: NOT tried, its programs are not built (TOLLGATE_KUBE names the folder of up.sh)',
  ];
}
