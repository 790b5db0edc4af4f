export * from './channel-types.js';
export * from './envelope.js';
export * from './errors.js';
export * from './events/index.js';
export * from './internal/index.js';
export * from './options/index.js';
export * from './roles.js';
export * from './routes/index.js';
