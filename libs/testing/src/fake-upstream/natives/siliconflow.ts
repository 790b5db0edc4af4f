import type { Native } from './native.js';

/** SiliconFlow's image generation: OpenAI's path with another format. */
export const siliconFlow: Native = ({ url, json, origin }) => {
  if (!url.pathname.endsWith('/v1/images/generations') || json.image_size === undefined) return undefined;
  const images = Array.from({ length: Number(json.batch_size ?? 1) }, (_, index) => ({
    url: `${origin}/pictures/${index}.png`,
  }));
  return { status: 200, json: { images, timings: { inference: 0.8 }, seed: 1 } };
};
