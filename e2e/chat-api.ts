/** Chats over the API, for tests of the window that need some to be there. */
import { expect } from '@playwright/test';
import { askedSchema, chatSchema } from '../protocol/chats.js';
import { post } from './echo-server.js';

/** A chat in which these questions have been asked and answered, one after the other; gives its id. */
export async function chatOf(
  url: string,
  questions: readonly string[],
  models: string[],
): Promise<string> {
  const { id } = (await post(`${url}/pilotlight/chats`, {})) as { id: string };
  let parent: string | null = null;
  for (const text of questions) {
    const body = { parent_id: parent, text, models };
    const asked = askedSchema.parse(await post(`${url}/pilotlight/chats/${id}/messages`, body));
    parent = asked.answer_ids[0] ?? null;
    await answered(url, id);
  }
  return id;
}

/** What the newest message of a chat says. */
export async function lastText(url: string, id: string): Promise<string> {
  const response = await fetch(`${url}/pilotlight/chats/${id}`);
  const message = chatSchema.parse(await response.json()).messages.at(-1);
  if (message?.role !== 'assistant') return message?.text ?? '';
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Waits until nothing is being written in a chat. */
export async function answered(url: string, id: string): Promise<void> {
  await expect
    .poll(
      async () => {
        const response = await fetch(`${url}/pilotlight/chats/${id}`);
        return chatSchema.parse(await response.json()).answering;
      },
      { intervals: [5] },
    )
    .toBe(false);
}
