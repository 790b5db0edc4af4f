import { Migration } from '@mikro-orm/migrations';
import type { DatabaseDefinition } from '@tollgate/chassis';

/** The event log as a table, used without Kafka. `next` is the offset of the partition's next record. */
class Migration20261101000001EventLog extends Migration {
  override up(): void {
    this.addSql(
      `create table topic_partition (topic text not null, partition int not null, next bigint not null default 0, primary key (topic, partition));`,
    );
    this.addSql(
      `create table record (topic text not null, partition int not null, record_offset bigint not null, key text not null, value text not null, appended_at timestamptz not null default now(), primary key (topic, partition, record_offset));`,
    );
    this.addSql(`create index record_appended_at_index on record (appended_at);`);
    this.addSql(
      `create table committed_offset (consumer_group text not null, topic text not null, partition int not null, next bigint not null default 0, primary key (consumer_group, topic, partition));`,
    );
    // One round trip in one short transaction. The row of each partition is locked until commit, in sorted order, so that offsets are dense
    // and become visible in order. With a sequence, a reader could skip a record that commits later.
    this
      .addSql(`create function append_records(_topic text, _partitions int[], _keys text[], _values text[]) returns table (partition_number int, next_offset bigint) language plpgsql as $body$
begin
  perform 1 from topic_partition p where p.topic = _topic and p.partition = any(_partitions) order by p.partition for update;
  return query
    with item as (
      select i.part, i.key, i.value, i.rank, row_number() over (partition by i.part order by i.rank) - 1 as step
      from unnest(_partitions, _keys, _values) with ordinality as i(part, key, value, rank)
    ), taken as (
      update topic_partition p set next = p.next + c.total
      from (select part, count(*) as total from item group by part) c
      where p.topic = _topic and p.partition = c.part
      returning p.partition, p.next - c.total as base, p.next
    ), written as (
      insert into record (topic, partition, record_offset, key, value)
      select _topic, t.partition, t.base + i.step, i.key, i.value from item i join taken t on t.partition = i.part
    )
    select t.partition, t.next from taken t;
end
$body$;`);
  }
}

const eventLogMigration = { name: 'Migration20261101000001EventLog', class: Migration20261101000001EventLog };

/** One row while the events of the installation are in Kafka. */
class Migration20261128210000OnKafka extends Migration {
  override up(): void {
    this.addSql(
      `create table on_kafka (only_row boolean primary key default true check (only_row), since timestamptz not null default now());`,
    );
  }
}

const onKafkaMigration = { name: 'Migration20261128210000OnKafka', class: Migration20261128210000OnKafka };

/** The schema of the event log that lives in the database. */
export const eventLogSchema: DatabaseDefinition = {
  ...{ name: 'event_log', entities: [] },
  migrations: [eventLogMigration, onKafkaMigration],
};
