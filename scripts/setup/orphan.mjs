// A program that npm starts sits below a shell, and a SIGTERM to npm ends that shell only. This makes the end of
// the parent reach us.

const POLL_MS = 500;

/** Under npm or npx, sends this process SIGTERM once its parent has gone. Does nothing elsewhere. */
export function endWithParent() {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}
