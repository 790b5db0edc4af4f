export * from './billing.js';
export * from './broadcasts.js';
export * from './channel.js';
export * from './define-call.js';
export * from './documents.js';
export * from './identity.js';
export * from './logging.js';
export * from './tasks.js';
