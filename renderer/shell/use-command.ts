import { useEffect, useRef } from 'react';
import { commands } from './command-registry.js';
import type { CommandId } from './commands.js';

/** Does what a command says while the component is there; null: it cannot be done now. */
export function useCommand(id: CommandId, run: (() => void) | null): void {
  const latest = useRef(run);
  latest.current = run;
  const offered = run !== null;
  useEffect(() => {
    if (offered) return commands.offer(id, () => latest.current?.());
  }, [id, offered]);
}
