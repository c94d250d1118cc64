import { useCallback, useState } from 'react';
import { z } from 'zod';

const STORAGE_KEY = 'pilotlight.folded';
const schema = z.array(z.string()).catch([]);

/** Ids of what is not as it begins: folders that are folded, the archive that is not. Kept across reloads. */
export function useFolded(): [ReadonlySet<string>, (id: string, there: boolean) => void] {
  const [folded, setFolded] = useState<ReadonlySet<string>>(load);
  const set = useCallback((id: string, there: boolean) => {
    setFolded((before) => {
      if (before.has(id) === there) return before;
      const next = new Set(before);
      if (there) next.add(id);
      else next.delete(id);
      save(next);
      return next;
    });
  }, []);
  return [folded, set];
}

function load(): ReadonlySet<string> {
  try {
    return new Set(schema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')));
  } catch {
    return new Set();
  }
}

function save(folded: ReadonlySet<string>): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify([...folded]));
  } catch {
    // Without storage it lasts as long as the window.
  }
}
