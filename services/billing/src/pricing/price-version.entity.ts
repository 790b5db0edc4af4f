import { defineEntity, p } from '@mikro-orm/core';

const priceVersion = defineEntity({
  name: 'PriceVersion',
  tableName: 'price_version',
  properties: {
    /** Hash of the document, so equal prices are one version. */
    id: p.text().primary(),
    document: p.json<Record<string, unknown>>(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** An immutable set of prices. */
export class PriceVersion extends priceVersion.class {}
priceVersion.setClass(PriceVersion);

const pricePublication = defineEntity({
  name: 'PricePublication',
  tableName: 'price_publication',
  properties: {
    revision: p.bigint('number').primary().autoincrement(false),
    priceVersion: p.text(),
    /** Revision of the options that the version was read from; older options never replace newer ones. */
    optionRevision: p.bigint('number'),
    publishedAt: p.datetime().defaultRaw('now()'),
  },
});

/** Publication of a version, from which time on it is in force; the one with the highest revision is in force now. */
export class PricePublication extends pricePublication.class {}
pricePublication.setClass(PricePublication);
