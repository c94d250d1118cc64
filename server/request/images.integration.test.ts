// Images through each dialect, with its official client, a real server and a model that sees.
import Anthropic from '@anthropic-ai/sdk';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { COLOURS, png, pngFile, type Rgb } from '../../scripts/test-models/pictures.js';
import { SEES_TOKENS } from '../../scripts/test-models/projector-models.js';
import { SEEN } from '../../scripts/test-models/scripts.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { IMAGE_BYTES_MAX, IMAGES_MAX } from './images.js';

let test: TestServer;
let anthropic: Anthropic;
let ollama: Ollama;
beforeAll(async () => {
  test = await startTestServer({
    models: ['sees', 'mmproj-sees', 'scripted', 'rows', 'mmproj-rows'],
  });
  anthropic = new Anthropic({ baseURL: test.server.url, apiKey: 'none', maxRetries: 0 });
  ollama = new Ollama({ host: test.server.url });
});
afterAll(() => test.close());
afterEach(() => test.idle());

const base64 = (colour: Rgb, width = 40, height = 30) =>
  png(width, height, colour).toString('base64');
const dataUrl = (bytes: Uint8Array, type = 'image/png') =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
const image = (url: string) => ({ type: 'image_url' as const, image_url: { url } });
const text = (words: string) => ({ type: 'text' as const, text: words });
type Part = OpenAI.ChatCompletionContentPart;

async function ask(content: Part[], model = 'sees') {
  const messages = [{ role: 'user' as const, content }];
  return test.client.chat.completions.create({ model, messages, max_tokens: 8 });
}

async function refusal(content: Part[], model = 'sees') {
  const error = await ask(content, model).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof OpenAI.APIError)) throw new Error('nothing was refused');
  return { status: error.status, param: error.param, code: error.code, message: error.message };
}

describe('an image', () => {
  it.each(['red', 'green', 'blue'] as const)(
    'that is %s is seen through chat completions',
    async (colour) => {
      const parts = [text('Which colour is it?'), image(dataUrl(png(50, 40, COLOURS[colour])))];
      const answer = await ask(parts);
      expect(answer.choices[0]?.message.content).toBe(SEEN[colour]);
      const blind = await ask([text('Which colour is it?')]);
      expect(blind.choices[0]?.message.content).toBe(SEEN.none);
      expect(answer.usage?.prompt_tokens).toBe((blind.usage?.prompt_tokens ?? 0) + SEES_TOKENS);
    },
  );

  it('is seen through messages, and counted', async () => {
    const source = {
      type: 'base64' as const,
      media_type: 'image/png' as const,
      data: base64(COLOURS.blue),
    };
    const messages: Anthropic.MessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'image', source },
          { type: 'text', text: 'Which colour?' },
        ],
      },
    ];
    const message = await anthropic.messages.create({ model: 'sees', max_tokens: 20, messages });
    expect(message.content).toEqual([expect.objectContaining({ text: SEEN.blue })]);
    const count = await anthropic.messages.countTokens({ model: 'sees', messages });
    expect(count.input_tokens).toBe(
      message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0),
    );
  });

  it('is seen through responses, and by the next one', async () => {
    const first = await test.client.responses.create({
      model: 'sees',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Which colour is it?' },
            { type: 'input_image', image_url: dataUrl(png(20, 20, COLOURS.green)), detail: 'auto' },
          ],
        },
      ],
    });
    expect(first.output_text).toBe(SEEN.green);
    const next = await test.client.responses.create({
      model: 'sees',
      previous_response_id: first.id,
      input: 'Say it again.',
    });
    expect(next.output_text).toBe(SEEN.green);
  });

  it("is seen through Ollama's two routes", async () => {
    const images = [base64(COLOURS.red)];
    const chat = await ollama.chat({
      model: 'sees',
      messages: [{ role: 'user', content: 'Which colour?', images }],
    });
    expect(chat.message.content).toBe(SEEN.red);
    const written = await ollama.generate({ model: 'sees', prompt: 'Which colour?', images });
    expect(written.response).toBe(SEEN.red);
    expect((await ollama.show({ model: 'sees' })).capabilities).toContain('vision');
  });

  it('streams, and several may be in one message', async () => {
    const stream = await test.client.chat.completions.create({
      model: 'sees',
      stream: true,
      messages: [
        {
          role: 'user',
          content: [
            image(dataUrl(png(9, 9, COLOURS.white))),
            text('and'),
            image(dataUrl(png(1, 1, COLOURS.green))),
            text('Which colour is it?'),
          ],
        },
      ],
    });
    let said = '';
    for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? '';
    expect(said).toBe(SEEN.green);
  });

  it('is compared by its bytes, never by the text around it', async () => {
    const about = (colour: Rgb) => [
      text('What do you see on the picture that follows here?'),
      image(dataUrl(png(32, 32, colour))),
      text('Tell me.'),
    ];
    const first = await ask(about(COLOURS.red));
    const same = await ask(about(COLOURS.red));
    const other = await ask(about(COLOURS.blue));
    expect(same.choices[0]?.message.content).toBe(SEEN.red);
    expect(other.choices[0]?.message.content).toBe(SEEN.blue);
    const tokens = first.usage?.prompt_tokens ?? 0;
    expect(same.usage?.prompt_tokens_details?.cached_tokens).toBe(tokens - 1);
    expect(other.usage?.prompt_tokens_details?.cached_tokens).toBeLessThan(tokens - SEES_TOKENS);
  });

  it('is seen where positions have rows and columns', async () => {
    const wide = await ask([image(dataUrl(png(256, 64, COLOURS.red))), text('?')], 'rows');
    const tall = await ask([image(dataUrl(png(64, 256, COLOURS.red))), text('?')], 'rows');
    expect(wide.usage?.prompt_tokens).toBe(tall.usage?.prompt_tokens);
  });
});

describe('a request with an image', () => {
  it('is refused by its place where the model reads text only', async () => {
    const parts = [text('?'), image(dataUrl(png(8, 8, COLOURS.red)))];
    expect(await refusal(parts, 'scripted')).toMatchObject({
      ...{ status: 400, param: 'messages[0].content[1].type', code: 'unsupported_content' },
      message: expect.stringContaining('reads text only'),
    });
    const images = [base64(COLOURS.red)];
    const chat = ollama.chat({
      model: 'scripted',
      messages: [{ role: 'user', content: '?', images }],
    });
    await expect(chat).rejects.toThrow(/reads text only/);
  });

  it.each<[string, string, RegExp]>([
    ['an address', 'https://example.com/cat.png', /is an address, and images are not fetched/],
    ['no image', 'data:text/plain;base64,aGk=', /must be a data: URL of an image/],
    ['no base64', 'data:image/png;base64,!!!!', /no valid base64/],
    ['empty', 'data:image/png;base64,', /must be an image in base64/],
    ['of another kind', dataUrl(Buffer.from('RIFF....WEBPVP8 ')), /Image 1 is a WebP file/],
    ['broken', dataUrl(png(30, 30, COLOURS.red).subarray(0, 60)), /Image 1 is damaged or cut off/],
    ['giant', dataUrl(pngFile(9000, 9000, Buffer.alloc(0))), /9000 x 9000 pixels/],
  ])('that is %s says so', async (_, url, words) => {
    const failure = await refusal([text('?'), image(url)]);
    expect(failure).toMatchObject({ status: 400, param: 'messages[0].content[1].image_url.url' });
    expect(failure.message).toMatch(words);
  });

  it('names which of several is broken', async () => {
    const parts = [
      image(dataUrl(png(8, 8, COLOURS.red))),
      text('and'),
      image(dataUrl(Buffer.from('no'))),
    ];
    expect(await refusal(parts)).toMatchObject({
      ...{ param: 'messages[0].content[2].image_url.url', code: 'invalid_image' },
      message: expect.stringContaining('Image 2'),
    });
  });

  it('has bounds', async () => {
    const one = image(dataUrl(png(2, 2, COLOURS.red)));
    const many = Array.from({ length: IMAGES_MAX + 1 }, () => one);
    expect(await refusal(many)).toMatchObject({ status: 400, code: 'too_many_images' });
    const large = image(dataUrl(Buffer.alloc(IMAGE_BYTES_MAX + 1)));
    expect(await refusal([large])).toMatchObject({ status: 400, code: 'image_too_large' });
  });

  it('has them in user messages only', async () => {
    const answer = test.client.chat.completions.create({
      model: 'sees',
      messages: [{ role: 'system', content: [image(dataUrl(png(2, 2, COLOURS.red))) as never] }],
    });
    await expect(answer).rejects.toMatchObject({
      status: 400,
      param: 'messages[0].content[0].type',
    });
  });

  it('may be left while it is computed, and harms nobody', async () => {
    const url = dataUrl(png(600, 600, (x, y) => [x % 256, y % 256, 90]));
    const leaving = Array.from({ length: 6 }, async (_, i) => {
      const gone = new AbortController();
      const stream = test.client.chat.completions.create(
        {
          model: 'rows',
          stream: true,
          messages: [{ role: 'user', content: [text(`${i}`), image(url)] }],
        },
        { signal: gone.signal },
      );
      if (i % 2 === 0) gone.abort();
      const chunks = await stream.catch(() => null);
      gone.abort();
      return chunks;
    });
    await Promise.allSettled(leaving);
    const after = await ask([image(dataUrl(png(8, 8, COLOURS.blue))), text('?')]);
    expect(after.choices[0]?.message.content).toBe(SEEN.blue);
  });
});
