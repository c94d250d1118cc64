import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import type { MenuAction } from './menu-entry.js';

/**
 * The menu bar. macOS shows it; elsewhere it is hidden until Alt is pressed, and its shortcuts work all the same.
 * Reload is for developers only: it would cut off an answer.
 */
export function setApplicationMenu(onAction: (action: MenuAction) => void): void {
  const mac = process.platform === 'darwin';
  const command = (label: string, action: MenuAction): MenuItemConstructorOptions => ({
    label,
    click: () => onAction(action),
  });
  const developer: MenuItemConstructorOptions[] = app.isPackaged
    ? []
    : [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }];
  const template: MenuItemConstructorOptions[] = [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'File',
      submenu: [
        command('Open models folder', { type: 'open-models-folder' }),
        command('Copy API address', { type: 'copy-address' }),
        { type: 'separator' },
        { role: 'close' },
        ...(mac ? [] : [{ role: 'quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...developer,
      ],
    },
    { role: 'windowMenu' },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
