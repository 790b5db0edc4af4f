import type { JsonObject, UploadAdapter } from '../adapter.js';
import { type Quirks, addressOf } from './quirks.js';
import { headersOf } from './request.js';

/** Adds edits for a field that an upstream expects in another form, or not at all; looks at the client's fields. */
type FormTweak = (fields: JsonObject, edits: Map<string, string | undefined>) => void;

/** The client's form with the model replaced by the channel's name for it. */
export const formRequest =
  (quirks: Quirks, path: string, tweaks: readonly FormTweak[] = []): UploadAdapter['toUpstream'] =>
  (request, target) => {
    const { 'content-type': _, ...headers } = headersOf(target, quirks, false);
    if (!request.form) throw new Error('a form is missing');
    const edits = new Map<string, string | undefined>([['model', target.model]]);
    for (const tweak of tweaks) tweak(request.json, edits);
    const form = request.form.with(edits);
    return {
      method: 'POST',
      url: addressOf(target, quirks, path, request),
      // Subtitles are not JSON, so any type is accepted.
      headers: { ...headers, ...form.headers, accept: '*/*' },
      upload: form.upload,
    };
  };
