/**
 * Sorts by bytes, independently of the database's collation, so that a digest stays the same when the installation
 * moves to another server.
 */
const ORDER = `"origin", "user_id", "code" collate "C", "debit" collate "C", "credit" collate "C", "group" collate "C", "channel_id", "model" collate "C"`;

/** Query for a digest per day over one text of all its rows under a condition; a day is small enough for that. */
export const dayDigests = (
  condition: string,
): string => `select "day"::text as "day", encode(sha256(convert_to(string_agg(concat_ws(E'\\x1f', "origin", "user_id", "code", "debit", "credit", "group",
    "channel_id", "model", "amount", "count"), E'\\n' order by ${ORDER}), 'UTF8')), 'hex') as "digest"
  from "statement_day" where ${condition} group by 1 order by 1`;
