/** Of each day of the sums under a condition, one text of all its rows; each day is small enough for that. */
export const dayDigests = (
  condition: string,
): string => `select "day"::text as "day", encode(sha256(convert_to(string_agg(concat_ws(E'\\x1f', "origin", "user_id", "code", "debit", "credit", "group",
    "channel_id", "model", "amount", "count"), E'\\n' order by "origin", "user_id", "code", "debit", "credit", "group", "channel_id", "model"), 'UTF8')), 'hex') as "digest"
  from "statement_day" where ${condition} group by 1 order by 1`;
