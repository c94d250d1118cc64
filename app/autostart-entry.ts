/**
 * Text of a file in a Linux desktop's autostart folder.
 * @param command program and arguments, none of them quoted yet
 */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Pilotlight',
    'Comment=Starts the local model server in the tray',
    `Exec=${command.map(quote).join(' ')}`,
    'Terminal=false',
    '',
  ].join('\n');
}

/**
 * Quoting of the Exec key (Desktop Entry Specification, "The Exec key"): inside double quotes four characters take a
 * backslash, a percent sign is doubled; the value as a whole is a string, where each backslash is doubled again.
 */
function quote(argument: string): string {
  const quoted = argument.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%');
  return `"${quoted.replaceAll('\\', '\\\\')}"`;
}

/** Whether a desktop starts what such a file says: those with switches of their own turn it off inside the file. */
export function isAutostartOn(text: string): boolean {
  return !/^(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/m.test(text);
}
