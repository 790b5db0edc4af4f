import { z } from 'zod';

// As in `chat.ts`, only members that the relay itself reads are checked.

const SMALL_SIZES = ['256x256', '512x512', '1024x1024'];
/** OpenAI's image models that accept only certain sizes; `dall-e` applies to requests without a model. */
const pictureSizes: Readonly<Record<string, readonly string[]>> = {
  'dall-e': SMALL_SIZES,
  'dall-e-2': SMALL_SIZES,
  'dall-e-3': ['1024x1024', '1024x1792', '1792x1024'],
};
const WRONG_SIZE = 'size must be one of 256x256, 512x512, or 1024x1024, dall-e-3 1024x1792 or 1792x1024';
const WRONG_SIGN =
  "size an unexpected error occurred in the parameter, please use 'x' instead of the multiplication sign '×'";
const MOST_PICTURES = 10;
const WRONG_NUMBER = 'n must be between 1 and 10';
/** The quality of `dall-e-3`, which affects the price; its upstream accepts no others. */
const QUALITIES = ['standard', 'hd'];
const WRONG_QUALITY = 'quality must be one of standard, hd';
/** Clients send this for "no size". */
const NO_SIZE = 'empty';
const text = (name: string) => z.string(`${name} is invalid`).nullish();

const sizeOfPicture = text('size').refine((size) => !size?.includes('×'), WRONG_SIGN);
const prompt = z.string('prompt is required').min(1, 'prompt is required');

/** POST /v1/images/generations. Size, quality and number determine the price. */
export const imagesRequestSchema = z
  .looseObject({
    model: text('model'),
    prompt,
    /** 0 is treated as one. */
    n: z.int('n is invalid').min(0, WRONG_NUMBER).max(MOST_PICTURES, WRONG_NUMBER).nullish(),
    size: sizeOfPicture,
    quality: text('quality'),
    style: text('style'),
    response_format: text('response_format'),
    output_format: text('output_format'),
    background: text('background'),
    moderation: text('moderation'),
    user: text('user'),
    stream: z.boolean('stream is invalid').nullish(),
    partial_images: z
      .int('partial_images is invalid')
      .min(0, 'partial_images is invalid')
      .max(3, 'partial_images must be between 0 and 3')
      .nullish(),
  })
  .refine(
    ({ model, size }) => {
      const sizes = pictureSizes[model || 'dall-e'];
      return !size || size === NO_SIZE || !sizes || sizes.includes(size);
    },
    { message: WRONG_SIZE, path: ['size'] },
  )
  .refine(({ model, quality }) => model !== 'dall-e-3' || !quality || QUALITIES.includes(quality), {
    message: WRONG_QUALITY,
    path: ['quality'],
  });

const digits = (name: string, [least, most]: readonly [number, number], outside: string) =>
  z
    .string(`${name} is invalid`)
    .regex(/^\d{1,3}$/, `${name} is invalid`)
    .refine((value) => Number(value) >= least && Number(value) <= most, outside)
    .optional();

/** POST /v1/images/edits: the fields of the form except its pictures, all texts. */
export const imageEditsRequestSchema = z.looseObject({
  /** Defaults to `gpt-image-1`. */
  model: z.string().optional(),
  prompt,
  n: digits('n', [1, MOST_PICTURES], WRONG_NUMBER),
  size: sizeOfPicture,
  quality: text('quality'),
  stream: z.enum(['true', 'false'], 'stream is invalid').optional(),
  partial_images: digits('partial_images', [0, 3], 'partial_images must be between 0 and 3'),
});

/** POST /v1/audio/speech. */
export const speechRequestSchema = z.looseObject({
  /** Defaults to `tts-1`. */
  model: text('model'),
  input: z.string('field input is required').min(1, 'field input is required'),
  response_format: text('response_format'),
  instructions: text('instructions'),
  /** A name, or an object with the id of a custom voice. */
  voice: z.union([z.string(), z.looseObject({})], 'voice is invalid').nullish(),
  speed: z.number('speed is invalid').positive('speed is invalid').nullish(),
  stream_format: z.enum(['audio', 'sse'], 'stream_format is invalid').nullish(),
});

const INPUT_REQUIRED = 'field input is required';

/** POST /v1/moderations: a text, several texts, or texts and pictures. */
export const moderationsRequestSchema = z.looseObject({
  /** Defaults to `text-moderation-stable`. */
  model: text('model'),
  input: z.union([z.string().min(1, INPUT_REQUIRED), z.array(z.unknown()).min(1, INPUT_REQUIRED)], INPUT_REQUIRED),
});

/** POST /v1/audio/transcriptions and /v1/audio/translations: the fields of the form except `file`, all texts. */
export const audioRequestSchema = z.looseObject({
  /** Defaults to `whisper-1`. */
  model: z.string().optional(),
  language: z.string().optional(),
  prompt: z.string().optional(),
  response_format: z.string().optional(),
  temperature: z
    .string()
    .regex(/^[\d.eE+-]*$/, 'temperature is invalid')
    .optional(),
  stream: z.enum(['true', 'false'], 'field stream is invalid').optional(),
});
