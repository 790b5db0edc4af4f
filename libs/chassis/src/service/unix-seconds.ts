/** The whole Unix second of a moment, as replies carry times: an entity's date or the text of one as a query hands it out; 0 for what never was. */
export const unixSeconds = (at: Date | string | null | undefined): number =>
  at == null ? 0 : Math.floor(new Date(at).getTime() / 1000);
