import { Migration } from '@mikro-orm/migrations';

/** Of a publication nothing changes but how new the options are that gave the same prices again. */
const keepPublications = `create function "refuse_publication_change"() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (to_jsonb(new) - 'option_revision') = (to_jsonb(old) - 'option_revision') then
    return new;
  end if;
  raise exception 'publications of prices are append-only' using errcode = 'restrict_violation';
end $$;`;

/** What prices said and since when, what an order was to cost, and what a file said whatever ends its lines: for ever as it was. */
export class Migration20261126210000_keep_terms extends Migration {
  override up(): void {
    this.addSql(
      `create trigger "price_version_append_only" before update or delete on "price_version" for each row execute function "refuse_change"();`,
    );
    this.addSql(keepPublications);
    this.addSql(`create trigger "price_publication_append_only" before update or delete on "price_publication"
      for each row execute function "refuse_publication_change"();`);
    this.addSql(`alter table "top_up_step" add column "terms" jsonb null;`);
    this.addSql(`alter table "invoice" add column "text_digest" text null;`);
  }
}
