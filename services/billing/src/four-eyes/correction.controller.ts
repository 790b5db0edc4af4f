import { Readable } from 'node:stream';
import { Controller, Param } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { type CorrectionRowReply, type CorrectionRun, correctionRowSchema } from '@tollgate/contracts/api/approval';
import { CSV_MARK, csvLines } from '@tollgate/contracts/csv';
import { type IdParam, idParamSchema, RawReply, Route } from '@tollgate/chassis';
import { CorrectionQueries } from '../correction/correction.queries.js';
import { approvalMissing, ApprovalQueries } from './approval.queries.js';

const COLUMNS = Object.keys(correctionRowSchema.shape) as (keyof CorrectionRowReply)[];

/** Shows and exports what a correction run would post, for the administrator who decides about it. */
@Controller()
export class CorrectionController {
  constructor(
    private readonly approvals: ApprovalQueries,
    private readonly corrections: CorrectionQueries,
  ) {}

  @Route(routes.getCorrection)
  async get(@Param({ schema: idParamSchema }) { id }: IdParam): Promise<CorrectionRun> {
    return this.corrections.run(id, await this.digestOf(id));
  }

  @Route(routes.exportCorrection)
  async export(@Param({ schema: idParamSchema }) { id }: IdParam): Promise<RawReply> {
    await this.digestOf(id);
    const pieces = this.corrections.pieces(id);
    async function* text(): AsyncGenerator<string> {
      yield CSV_MARK + csvLines([COLUMNS]);
      for await (const rows of pieces) yield csvLines(rows.map((row) => COLUMNS.map((name) => row[name])));
    }
    return new RawReply(Readable.from(text(), { objectMode: false }), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="correction_${id}.csv"`,
    });
  }

  private async digestOf(id: number): Promise<string> {
    const { kind, payload } = await this.approvals.find(id);
    if (kind !== 'correction') throw approvalMissing(id);
    return String(payload['digest']);
  }
}
