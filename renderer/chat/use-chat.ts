import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { streamChat } from '../api/chat-completions.js';
import { nextFrame } from './next-frame.js';
import { ChatSession } from './session.js';
import { loadDraft, loadTurns, saveDraft, saveTurns } from './storage.js';

/** While an answer grows, it is stored this often. */
const SAVE_MS = 1000;

/** The window's conversation, kept across reloads. `onNotSaved` is called once when the browser does not store it. */
export function useChat(onNotSaved: () => void) {
  const [session] = useState(
    () =>
      new ChatSession(
        {
          stream: streamChat,
          nextFrame,
          now: () => performance.now(),
          newId: newId,
        },
        loadTurns(localStorage),
      ),
  );
  const conversation = useSyncExternalStore(session.subscribe, session.snapshot);
  const notSaved = useRef(onNotSaved);
  notSaved.current = onNotSaved;

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let told = false;
    const save = () => {
      if (timer) clearTimeout(timer);
      timer = null;
      const saved = saveTurns(localStorage, session.snapshot().turns);
      if (!saved && !told) {
        told = true;
        notSaved.current();
      }
    };
    const unsubscribe = session.subscribe(() => {
      timer ??= setTimeout(save, SAVE_MS);
    });
    const onHide = () => timer && save();
    window.addEventListener('pagehide', onHide);
    return () => {
      unsubscribe();
      window.removeEventListener('pagehide', onHide);
      if (timer) save();
    };
  }, [session]);

  return { session, conversation };
}

/** What is being written, kept across reloads. */
export function useDraft(): [string, (draft: string) => void] {
  const [draft, setDraft] = useState(() => loadDraft(localStorage));
  const change = (next: string) => {
    setDraft(next);
    saveDraft(localStorage, next);
  };
  return [draft, change];
}

/** `crypto.randomUUID` is absent on plain http from another machine. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
