/**
 * SQL for count, sum and digest of requests: two services that hold the same ids with the same units get equal results. The digest is a sum
 * of 60 bits of each row's hash, so it does not depend on order. The two parameters are the smallest id and the first id after the range.
 */
export const requestDigest = (id: string, units: string, rows: string): string =>
  `select count(*)::text as "requests", coalesce(sum(${units}), 0)::text as "units",
     coalesce(sum(('x' || left(md5(${id}::text || ' ' || ${units}), 15))::bit(60)::bigint), 0)::text as "digest"
   from ${rows} and ${id} >= ?::uuid and ${id} < ?::uuid`;

/** SQL for the hex SHA-256 over the lines of one invoice. */
export const INVOICE_LINES_DIGEST = `encode(sha256(convert_to(coalesce(string_agg(concat_ws(E'\\x1f', "day", "model", "requests", "input", "cached", "output",
  coalesce("amount"::text, 'none')) || E'\\n', '' order by "day", "model" collate "C"), ''), 'UTF8')), 'hex')`;
