import type { AppliedPrice, Usage } from '@tollgate/contracts';
import { pictureUnits, searchUnits } from './call-prices.js';
import { type Exact, exact, plus, times } from './exact.js';
import { exactRatesOf, isPerCall, isPerPicture, rate } from './price.js';

export type RatingKind = ReturnType<typeof exactRatesOf>[number]['kind'] | 'pictures' | 'searches' | 'call';

/** One term of a charge: `count` of a kind at `ratio`, in exact units before rounding. */
interface RatingLine {
  kind: RatingKind;
  count: number;
  /** Relative to a plain prompt token; 1 for what is charged per call. */
  ratio: number;
  /** An exact decimal. */
  units: string;
}

interface Rating {
  lines: RatingLine[];
  /** Sum of the lines, an exact decimal. */
  exactly: string;
  /** The charge: the sum rounded once, and at least 1 if something was used at a price above zero. */
  quota: number;
}

/** Explains a charge term by term; `quota` equals the result of `rate`. */
export function ratingOf(usage: Usage, price: AppliedPrice): Rating {
  const terms = [...ownTerms(usage, price), ...searchTerms(usage, price)].filter(({ count }) => count > 0);
  const sum = terms.reduce<Exact>((total, { units }) => plus(total, units), exact(0));
  return {
    lines: terms.map(({ units, ...line }) => ({ ...line, units: decimalOf(units) })),
    exactly: decimalOf(sum),
    quota: rate(usage, price),
  };
}

type Term = Omit<RatingLine, 'units'> & { units: Exact };

function ownTerms(usage: Usage, price: AppliedPrice): Term[] {
  const { pictures } = usage;
  if (pictures && isPerPicture(pictures, price))
    return [{ kind: 'pictures', count: pictures.count, ratio: 1, units: pictureUnits(price, pictures) }];
  if (isPerCall(price)) {
    const units = times(exact(price.modelPrice), exact(price.quotaPerUnit), exact(price.groupRatio));
    return [{ kind: 'call', count: 1, ratio: 1, units }];
  }
  return exactRatesOf(usage, price);
}

function searchTerms({ pictures, searches }: Usage, price: AppliedPrice): Term[] {
  if (!searches || (pictures && isPerPicture(pictures, price))) return [];
  const count = (searches.web ?? 0) + (searches.file ?? 0) + (searches.google ?? 0);
  return [{ kind: 'searches', count, ratio: 1, units: searchUnits(price, searches) }];
}

/** The decimal text of an exact number, without trailing zeros. */
export function decimalOf({ digits, scale }: Exact): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return `${sign}${scale === 0 ? text : text.slice(0, -scale)}${scale > 0 && fraction !== '' ? `.${fraction}` : ''}`;
}
