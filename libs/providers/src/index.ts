export * from './adapter.js';
export * from './registry.js';
