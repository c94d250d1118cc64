/** What the system says after a change of the start at login; on macOS and Windows a refusal is no error. */
interface LoginItemState {
  openAtLogin: boolean;
  /** macOS only. */
  status?: string;
}

/** @returns a sentence for people; null: the system has it as it was wanted */
export function loginProblem(
  platform: NodeJS.Platform,
  wanted: boolean,
  { openAtLogin, status }: LoginItemState,
): string | null {
  if (platform === 'darwin' && wanted && status === 'requires-approval') {
    return 'macOS waits for you to allow it: in System Settings, under General, Login Items.';
  }
  if (openAtLogin === wanted) return null;
  const where =
    platform === 'darwin'
      ? 'System Settings, under General, Login Items'
      : 'Settings, under Apps, Startup';
  return `The system has not taken the change. Look at ${where}; whoever administers this computer may have forbidden it.`;
}
