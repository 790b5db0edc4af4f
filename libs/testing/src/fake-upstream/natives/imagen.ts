import { PICTURE } from '../media.js';
import { type Native, objectIn } from './native.js';

/** Google's Imagen models with API keys. */
export const imagen: Native = ({ url, json }) => {
  if (!/\/models\/imagen[^/]*:predict$/.test(url.pathname)) return undefined;
  const { sampleCount } = objectIn(json.parameters);
  const prediction = { mimeType: 'image/png', bytesBase64Encoded: PICTURE };
  return { status: 200, json: { predictions: Array.from({ length: Number(sampleCount ?? 1) }, () => prediction) } };
};
