/**
 * The first signal aborts `stop`, so that the command can end in order; whoever asks again does not want to wait.
 * @param exitCode Of a command that is asked again.
 * @returns a function that leaves signals alone again.
 */
export function stopOnSignal(stop: AbortController, exitCode: number): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = () => {
    if (stop.signal.aborted) process.exit(exitCode);
    stop.abort();
  };
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}
