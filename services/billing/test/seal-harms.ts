import { v7 as uuidv7 } from 'uuid';
import type { SealWorld } from './seal-world.js';

/** Damages one row, chosen by a number; returns the posting that the audit must name, if it can name one. */
export const harms: Record<string, (world: SealWorld, nth: number) => Promise<string | undefined>> = {
  async edit(world, nth) {
    const columns = [
      'code',
      'debit',
      'credit',
      'reference',
      'reason',
      'price_version',
      'replica_epoch',
      'model',
      'group',
    ];
    const numbers = ['amount', 'user_id', 'token_id', 'actor_id', 'channel_id', 'event_partition', 'event_offset'];
    const name = [...columns, ...numbers][nth % 16] ?? 'amount';
    // The first version of the text lacks these columns.
    const isNewer = ['model', 'group', 'channel_id', 'event_partition', 'event_offset'].includes(name);
    const id = await world.idOf(nth, isNewer ? 2 : 1);
    await world.query(
      `update posting set "${name}" = ${columns.includes(name) ? `coalesce("${name}", '') || 'x'` : `coalesce("${name}", 0) + 1`} where id = $1`,
      [id],
    );
    return id;
  },
  async 'another version of the text'(world, nth) {
    // Some rows have the first version of the text already.
    const newer = await world.query<{ id: string }>(
      'select posting_id as id from journal_link where version > 1 order by 1',
    );
    const id = newer[nth % newer.length]?.id ?? '';
    await world.query('update journal_link set version = 1 where posting_id = $1', [id]);
    return id;
  },
  async 'edit the time'(world, nth) {
    const id = await world.idOf(nth);
    await world.query(`update posting set booked_at = booked_at + interval '1 microsecond' where id = $1`, [id]);
    return id;
  },
  async removal(world, nth) {
    const id = await world.idOf(nth);
    await world.query('delete from posting where id = $1', [id]);
    return id;
  },
  async 'removal with its place'(world, nth) {
    const id = await world.idOf(nth);
    await world.query('delete from posting where id = $1', [id]);
    await world.query('delete from journal_link where posting_id = $1', [id]);
    return undefined;
  },
  async insertion(world, nth) {
    const id = uuidv7();
    await world.post(world.client, nth, id);
    await world.query('update posting set tx = 1 where id = $1', [id]);
    return id;
  },
  async 'insertion by a transaction that is yet to come'(world, nth) {
    const id = uuidv7();
    await world.post(world.client, nth, id);
    await world.query('update posting set tx = 900000000000000 where id = $1', [id]);
    return id;
  },
  async 'insertion at a place'(world, nth) {
    const id = uuidv7();
    await world.post(world.client, nth, id);
    await world.query(`update journal_link set posting_id = $1 where posting_id = $2`, [id, await world.idOf(nth)]);
    return id;
  },
  async reordering(world, nth) {
    const [first = '', second = ''] = [await world.idOf(nth), await world.idOf(nth + 1)];
    const spare = uuidv7();
    for (const [to, from] of [
      [spare, first],
      [first, second],
      [second, spare],
    ])
      await world.query('update journal_link set posting_id = $1 where posting_id = $2', [to, from]);
    return first;
  },
  async 'a chain made anew without the key'(world, nth) {
    await world.query(`update journal_link set hash = sha256(hash) where posting_id = $1`, [await world.idOf(nth)]);
    return undefined;
  },
  async 'a seal removed'(world) {
    await world.query('delete from journal_seal where number = 1');
    return undefined;
  },
  async 'a seal that is none'(world, nth) {
    const text = ['no JSON', 'null', '7', '"text"', '{}'][nth % 5];
    await world.query(`update journal_seal set text = $1 where number = 1`, [text]);
    return undefined;
  },
  async 'a key that is none'(world, nth) {
    await world.query(`update seal_key set public_key = $1`, [['', 'no key', 'ab'.repeat(31)][nth % 3]]);
    return undefined;
  },
  async 'a seal of another signature'(world, nth) {
    await world.query(`update journal_seal set signature = overlay(signature placing $1 from 5) where number = 1`, [
      (nth % 2 === 0 ? 'ff' : '00') + 'a1b2',
    ]);
    return undefined;
  },
};
