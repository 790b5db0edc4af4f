/** In the order of bytes, whatever the collation of the database: a digest stays what it is where the installation moves to another server. */
const ORDER = `"origin", "user_id", "code" collate "C", "debit" collate "C", "credit" collate "C", "group" collate "C", "channel_id", "model" collate "C"`;

/** A digest for each day of the sums under a condition, over one text of all its rows; a day is small enough for that. */
export const dayDigests = (
  condition: string,
): string => `select "day"::text as "day", encode(sha256(convert_to(string_agg(concat_ws(E'\\x1f', "origin", "user_id", "code", "debit", "credit", "group",
    "channel_id", "model", "amount", "count"), E'\\n' order by ${ORDER}), 'UTF8')), 'hex') as "digest"
  from "statement_day" where ${condition} group by 1 order by 1`;
