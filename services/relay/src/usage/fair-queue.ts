/** A queue that takes jobs of all owners in turn, so an owner with many jobs does not delay the others. */
export class FairQueue<Job> {
  private readonly waiting = new Map<number, Job[]>();
  private count = 0;

  constructor(
    private readonly most: number,
    private readonly mostPerOwner: number,
  ) {}

  /** False when the queue, or the owner's part of it, is full. */
  add(owner: number, job: Job): boolean {
    const own = this.waiting.get(owner) ?? [];
    if (this.count >= this.most || own.length >= this.mostPerOwner) return false;
    own.push(job);
    this.count += 1;
    this.waiting.set(owner, own);
    return true;
  }

  next(): Job | undefined {
    const [turn] = this.waiting;
    if (!turn) return undefined;
    const [owner, own] = turn;
    const job = own.shift();
    this.count -= 1;
    // The owner goes to the end of the round.
    this.waiting.delete(owner);
    if (own.length > 0) this.waiting.set(owner, own);
    return job;
  }
}
