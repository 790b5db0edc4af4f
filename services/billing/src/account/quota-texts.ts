import { Injectable } from '@nestjs/common';
import { OptionStore } from '@tollgate/chassis';
import { type QuotaDisplay, quotaDisplayOf, quotaLogText } from '@tollgate/pricing';

/** Formats amounts by the current display options. */
@Injectable()
export class QuotaTexts {
  constructor(private readonly options: OptionStore) {}

  get display(): QuotaDisplay {
    return quotaDisplayOf(this.options);
  }

  /** `＄1.000000 额度` or `500000 点额度`. */
  logText(quota: number): string {
    return quotaLogText(quota, this.display);
  }
}
