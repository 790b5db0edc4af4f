import type { UploadAdapter } from '../adapter.js';
import { type Quirks, addressOf } from './quirks.js';
import { headersOf } from './request.js';

/** The client's form with the model replaced by the channel's name for it. */
export const formRequest =
  (quirks: Quirks, path: string): UploadAdapter['toUpstream'] =>
  (request, target) => {
    const { 'content-type': _, ...headers } = headersOf(target, quirks, false);
    if (!request.form) throw new Error('a form is missing');
    const form = request.form.with(new Map([['model', target.model]]));
    return {
      method: 'POST',
      url: addressOf(target, quirks, path, request),
      // Subtitles are not JSON, so any type is accepted.
      headers: { ...headers, ...form.headers, accept: '*/*' },
      upload: form.upload,
    };
  };
