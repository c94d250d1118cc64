import { useEffect, useRef, useState } from 'react';
import { speakable } from '../shell/format.js';
import type { Conversation } from './conversation.js';

/** Tells a screen reader that an answer is being written and, once it has ended, what it says. */
export function Announcer({ conversation }: { conversation: Conversation }) {
  const answer = conversation.turns.at(-1)?.answer;
  const [words, setWords] = useState('');
  const runningId = useRef<string | null>(null);
  useEffect(() => {
    if (!answer) return;
    if (answer.status === 'running') {
      if (runningId.current !== answer.id) setWords('Answering…');
      runningId.current = answer.id;
    } else if (runningId.current === answer.id) {
      runningId.current = null;
      // A failure speaks for itself: its card is an alert.
      const end = answer.status === 'stopped' ? ' Stopped.' : '';
      setWords(answer.status === 'failed' ? '' : speakable(answer.text) + end);
    }
  }, [answer]);
  return (
    <div className="hidden-visually" aria-live="polite">
      {words}
    </div>
  );
}
