/** A time as whole Unix seconds, as replies carry it: from an entity's date or the text a query returns; 0 for null. */
export const unixSeconds = (at: Date | string | null | undefined): number =>
  at == null ? 0 : Math.floor(new Date(at).getTime() / 1000);
