export { type GeminiUpstream, GEMINI_KEY, startGeminiUpstream } from './server.js';
