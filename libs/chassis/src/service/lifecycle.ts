import { tryEach } from './try-each.js';

type Task = () => Promise<void> | void;

/**
 * Tasks that a service runs once every service of the process is reachable, and before it ends. `ready` tasks run in the order they were
 * added; `drain` tasks in reverse, so that what was built last stops first. `leave` tasks close at once what would never end by itself,
 * such as live streams, and so would block a drain.
 */
export class Lifecycle {
  private readonly readyTasks: Task[] = [];
  private readonly leaveTasks: (() => void)[] = [];
  private readonly drainTasks: Task[] = [];
  private state: 'starting' | 'ready' | 'leaving' | 'draining' = 'starting';

  onReady(task: Task): void {
    this.readyTasks.push(task);
  }

  onLeave(task: () => void): void {
    this.leaveTasks.push(task);
  }

  onDrain(task: Task): void {
    this.drainTasks.push(task);
  }

  get accepting(): boolean {
    return this.state === 'ready';
  }

  get starting(): boolean {
    return this.state === 'starting';
  }

  get draining(): boolean {
    return this.state === 'draining';
  }

  async ready(): Promise<void> {
    for (const task of this.readyTasks) await task();
    if (this.state === 'starting') this.state = 'ready';
  }

  /** Announces that no new traffic is wanted, but still serves what arrives. */
  leave(): void {
    this.state = 'leaving';
    for (const task of this.leaveTasks.splice(0)) task();
  }

  async drain(): Promise<void> {
    this.state = 'draining';
    await tryEach(this.drainTasks.splice(0).reverse());
  }
}
