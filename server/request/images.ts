/** Images in requests: read from what clients send, and refused by their place. */
import type { ChatMessage, ContentPart, ImagePlace, Prompt } from '../../protocol/engine.js';
import { GenerationError } from '../generation/generation.js';
import { type ApiError, invalidRequest } from '../http/errors.js';
import type { LibraryModel } from '../library/model.js';

export type ImagePart = Extract<ContentPart, { type: 'image' }>;

/** Most images of one request. */
export const IMAGES_MAX = 32;

/** Most bytes of one image's file. */
export const IMAGE_BYTES_MAX = 20 * 1024 * 1024;

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;

/** @throws ApiError 400 where it is no data: URL of an image. */
export function readDataUrl(url: unknown, place: ImagePlace): ImagePart {
  if (typeof url !== 'string') {
    throw invalidRequest(`${place.value} must be a data: URL of an image.`, place.value);
  }
  if (/^(https?|file|ftp):/i.test(url)) {
    throw invalidRequest(
      `${place.value} is an address, and images are not fetched: send the image itself as a data: URL (data:image/png;base64,…).`,
      place.value,
      'unsupported_content',
    );
  }
  const [head, type = ''] = DATA_URL.exec(url.slice(0, 300)) ?? [];
  if (head === undefined || !(type === '' || type.toLowerCase().startsWith('image/'))) {
    throw invalidRequest(
      `${place.value} must be a data: URL of an image, such as data:image/png;base64,…`,
      place.value,
    );
  }
  return readBase64(url.slice(head.length), place);
}

/** @throws ApiError 400 where it is no base64, or too long. */
export function readBase64(text: unknown, place: ImagePlace): ImagePart {
  if (typeof text !== 'string' || text === '') {
    throw invalidRequest(`${place.value} must be an image in base64.`, place.value);
  }
  // Buffer passes over what is no base64.
  const data = Buffer.from(text, 'base64');
  const digits = text.replace(/[\s=]+/g, '').length;
  if (data.length !== Math.floor((digits * 3) / 4)) {
    throw invalidRequest(`${place.value} is no valid base64.`, place.value);
  }
  if (data.length > IMAGE_BYTES_MAX) {
    throw invalidRequest(
      `${place.value} is too large: an image may have ${IMAGE_BYTES_MAX / 1024 ** 2} MB, and this one has ${Math.ceil(data.length / 1024 ** 2)}.`,
      place.value,
      'image_too_large',
    );
  }
  return { type: 'image', data, place };
}

/** One that has been read; no client can send it, because JSON has no bytes. */
export function isImagePart(part: unknown): part is ImagePart {
  return (
    typeof part === 'object' && part !== null && 'data' in part && part.data instanceof Uint8Array
  );
}

export function imagesOf(prompt: Prompt): ImagePart[] {
  if (prompt.kind !== 'chat') return [];
  return prompt.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter((part) => part.type === 'image'),
  );
}

/** Texts joined as templates get them; parts where there are images among them. */
export function toContent(parts: readonly ContentPart[], separator = '\n'): ChatMessage['content'] {
  if (parts.some(({ type }) => type === 'image')) return [...parts];
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(separator);
}

/** @throws ApiError 400 where the model does not see, or there are too many images. */
export function refuseUnseen(model: LibraryModel, prompt: Prompt): void {
  const images = imagesOf(prompt);
  const [first] = images;
  if (first === undefined) return;
  if (model.projector === null) {
    throw invalidRequest(
      `The model "${model.id}" reads text only: it cannot see images. Take one with the capability "vision".`,
      first.place === undefined ? null : `${first.place.part}.type`,
      'unsupported_content',
    );
  }
  const surplus = images[IMAGES_MAX];
  if (surplus !== undefined) {
    throw invalidRequest(
      `A request may have ${IMAGES_MAX} images, and this one has ${images.length}.`,
      surplus.place?.value ?? null,
      'too_many_images',
    );
  }
}

/** A failure that concerns an image names the place of it. */
export function withPlace(error: unknown, prompt: Prompt): unknown {
  if (!(error instanceof GenerationError)) return error;
  const { code, message, retryAfter, input } = error;
  const image = imagesOf(prompt)[input ?? 0];
  if (image?.place === undefined || (code !== 'invalid_image' && code !== 'no_vision'))
    return error;
  const param = code === 'no_vision' ? `${image.place.part}.type` : image.place.value;
  return new GenerationError(code, message, retryAfter, null, param);
}

/** A part that only some messages can have. */
export function misplacedImage(place: ImagePlace): ApiError {
  return invalidRequest(
    `An image can only be part of a user message: ${place.part} is in another one.`,
    `${place.part}.type`,
    'unsupported_content',
  );
}
