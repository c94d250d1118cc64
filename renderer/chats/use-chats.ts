import { useSyncExternalStore } from 'react';
import { LiveStream } from '../api/live-stream.js';
import { type ChatsSnapshot, ChatsStore } from './chats-store.js';
import { nextFrame } from './next-frame.js';

/** The window's. */
export const chatsStore = new ChatsStore({
  stream: (parts) => new LiveStream(parts),
  nextFrame,
});

/** A part of what is known of the chats, drawn anew when it changes. `select` gives a part as it is, makes nothing new. */
export function useChats<T>(select: (chats: ChatsSnapshot) => T): T {
  return useSyncExternalStore(chatsStore.subscribe, () => select(chatsStore.snapshot()));
}
