import { byProvider, byToken, defineRoutes, open } from './define-routes.js';

/** Multimodal requests carry images inline. */
const RELAY_BODY = 64 * 1024 * 1024;
const relay = { ...byToken, bodyLimit: RELAY_BODY } as const;
const playground = { auth: 'session', minRole: 1, rate: 'relay', bodyLimit: RELAY_BODY } as const;

export const relayRoutes = defineRoutes('relay', {
  listModels: { method: 'GET', path: '/v1/models', ...byToken },
  getModel: { method: 'GET', path: '/v1/models/*', ...byToken },
  createChatCompletion: { method: 'POST', path: '/v1/chat/completions', ...relay },
  createCompletion: { method: 'POST', path: '/v1/completions', ...relay },
  createPlaygroundCompletion: { method: 'POST', path: '/pg/chat/completions', ...playground },
  createPlaygroundImage: { method: 'POST', path: '/pg/images/generations', ...playground },
  createPlaygroundSpeech: { method: 'POST', path: '/pg/audio/speech', ...playground },
  createPlaygroundTranscription: { method: 'POST', path: '/pg/audio/transcriptions', ...playground },
  createMessage: { method: 'POST', path: '/v1/messages', ...relay },
  countMessageTokens: { method: 'POST', path: '/v1/messages/count_tokens', ...relay },
  createResponse: { method: 'POST', path: '/v1/responses', ...relay },
  createEmbedding: { method: 'POST', path: '/v1/embeddings', ...relay },
  listGeminiModels: { method: 'GET', path: '/v1beta/models', ...byToken },
  getGeminiModel: { method: 'GET', path: '/v1beta/models/*', ...byToken },
  listGeminiModelsForOpenAi: { method: 'GET', path: '/v1beta/openai/models', ...byToken },
  callGeminiModel: { method: 'POST', path: '/v1beta/models/*', ...relay },
  callGeminiModelByV1: { method: 'POST', path: '/v1/models/*', ...relay },
  createImage: { method: 'POST', path: '/v1/images/generations', ...relay },
  createImageEdit: { method: 'POST', path: '/v1/images/edits', ...relay },
  createSpeech: { method: 'POST', path: '/v1/audio/speech', ...relay },
  createModeration: { method: 'POST', path: '/v1/moderations', ...relay },
  createTranscription: { method: 'POST', path: '/v1/audio/transcriptions', ...relay },
  createTranslation: { method: 'POST', path: '/v1/audio/translations', ...relay },
  createRerank: { method: 'POST', path: '/v1/rerank', ...relay },
  openRealtime: { method: 'GET', path: '/v1/realtime', ...byToken },
  submitDrawing: { method: 'POST', path: '/mj/submit/:action', ...relay },
  submitDrawingInMode: { method: 'POST', path: '/:mode/mj/submit/:action', ...relay },
  swapFace: { method: 'POST', path: '/mj/insight-face/swap', ...relay },
  swapFaceInMode: { method: 'POST', path: '/:mode/mj/insight-face/swap', ...relay },
  fetchDrawing: { method: 'GET', path: '/mj/task/:id/fetch', ...byToken },
  fetchDrawingInMode: { method: 'GET', path: '/:mode/mj/task/:id/fetch', ...byToken },
  getImageSeed: { method: 'GET', path: '/mj/task/:id/image-seed', ...byToken },
  getImageSeedInMode: { method: 'GET', path: '/:mode/mj/task/:id/image-seed', ...byToken },
  fetchDrawings: { method: 'POST', path: '/mj/task/list-by-condition', ...byToken },
  fetchDrawingsInMode: { method: 'POST', path: '/:mode/mj/task/list-by-condition', ...byToken },
  noteDrawing: { method: 'POST', path: '/mj/notify', ...byProvider, bodyLimit: 1024 * 1024 },
  noteDrawingInMode: { method: 'POST', path: '/:mode/mj/notify', ...byProvider, bodyLimit: 1024 * 1024 },
  showPicture: { method: 'GET', path: '/mj/image/:id', ...open, rate: 'picture' },
  showPictureInMode: { method: 'GET', path: '/:mode/mj/image/:id', ...open, rate: 'picture' },
  submitSong: { method: 'POST', path: '/suno/submit/:action', ...relay },
  fetchSongs: { method: 'POST', path: '/suno/fetch', ...byToken },
  fetchSong: { method: 'GET', path: '/suno/fetch/:id', ...byToken },
  createEngineEmbedding: { method: 'POST', path: '/v1/engines/:model/embeddings', ...relay },
});

/** Documented paths that are answered with 501 `api_not_implemented` after authentication. */
export const unimplementedRelayRoutes = [
  ['POST', '/v1/edits'],
  ['POST', '/v1/images/variations'],
  ['GET', '/v1/files'],
  ['POST', '/v1/files'],
  ['DELETE', '/v1/files/:id'],
  ['GET', '/v1/files/:id'],
  ['GET', '/v1/files/:id/content'],
  ['POST', '/v1/fine-tunes'],
  ['GET', '/v1/fine-tunes'],
  ['GET', '/v1/fine-tunes/:id'],
  ['POST', '/v1/fine-tunes/:id/cancel'],
  ['GET', '/v1/fine-tunes/:id/events'],
  ['DELETE', '/v1/models/:model'],
] as const;
