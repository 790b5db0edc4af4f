type Task = () => Promise<void> | void;

/**
 * What a service does after every service of the process is reachable, and before it ends.
 * `ready` tasks run in the order they were added; `drain` tasks in reverse, so that what was built last stops first.
 */
export class Lifecycle {
  private readonly readyTasks: Task[] = [];
  private readonly drainTasks: Task[] = [];
  private state: 'starting' | 'ready' | 'draining' = 'starting';

  onReady(task: Task): void {
    this.readyTasks.push(task);
  }

  onDrain(task: Task): void {
    this.drainTasks.push(task);
  }

  get accepting(): boolean {
    return this.state === 'ready';
  }

  get draining(): boolean {
    return this.state === 'draining';
  }

  async ready(): Promise<void> {
    for (const task of this.readyTasks) await task();
    this.state = 'ready';
  }

  async drain(): Promise<void> {
    this.state = 'draining';
    for (const task of this.drainTasks.reverse()) await task();
    this.drainTasks.length = 0;
  }
}
