import { Controller } from '@nestjs/common';
import { type EventBatch, taskUpdated } from '@tollgate/contracts';
import { OnEvent } from '@tollgate/database';
import { TaskRefunds } from './task-refunds.js';

/** Refunds the price of failed tasks. */
@Controller()
export class TaskUpdatedConsumer {
  constructor(private readonly refunds: TaskRefunds) {}

  @OnEvent(taskUpdated)
  async refund(batch: EventBatch<typeof taskUpdated>): Promise<void> {
    await this.refunds.want(
      batch.map(({ data }) => data).filter(({ isOver, status }) => isOver && status === 'FAILURE'),
    );
  }
}
