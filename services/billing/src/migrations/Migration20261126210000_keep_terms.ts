import { Migration } from '@mikro-orm/migrations';

/** A publication never changes, except for the revision of newer options that gave the same prices again. */
const keepPublications = `create function "refuse_publication_change"() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (to_jsonb(new) - 'option_revision') = (to_jsonb(old) - 'option_revision') then
    return new;
  end if;
  raise exception 'publications of prices are append-only' using errcode = 'restrict_violation';
end $$;`;

/**
 * Makes price versions and their publications append-only, and stores the original terms of an order and a digest of an
 * invoice's text that is independent of line endings.
 */
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
