import { defineEntity, p } from '@mikro-orm/core';

const priceVersion = defineEntity({
  name: 'PriceVersion',
  tableName: 'price_version',
  properties: {
    /** Hash of the document, so that equal prices are one version. */
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
    /** Of the option table the version was read from: an older reading never replaces a newer one. */
    optionRevision: p.bigint('number'),
    publishedAt: p.datetime().defaultRaw('now()'),
  },
});

/** The moment a version came into force; the highest revision is in force now. */
export class PricePublication extends pricePublication.class {}
pricePublication.setClass(PricePublication);
