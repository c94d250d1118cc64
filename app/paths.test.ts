import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { appFiles, dataFolder } from './paths.js';

describe('dataFolder', () => {
  it('follows the XDG specification on Linux', () => {
    expect(dataFolder('linux', {}, '/home/ada')).toBe('/home/ada/.local/share/pilotlight');
    expect(dataFolder('linux', { XDG_DATA_HOME: '/data' }, '/home/ada')).toBe('/data/pilotlight');
    expect(dataFolder('linux', { XDG_DATA_HOME: 'data' }, '/home/ada')).toBe(
      '/home/ada/.local/share/pilotlight',
    );
    expect(dataFolder('linux', { XDG_DATA_HOME: '' }, '/home/ada')).toBe(
      '/home/ada/.local/share/pilotlight',
    );
  });

  it('keeps the system folders of macOS and Windows', () => {
    expect(dataFolder('darwin', { XDG_DATA_HOME: '/data' }, '/Users/ada')).toBeNull();
    expect(dataFolder('win32', {}, 'C:\\Users\\ada')).toBeNull();
  });
});

describe('appFiles', () => {
  it('finds the parts beside the built main script', () => {
    const root = path.resolve('pilotlight');
    const files = appFiles(path.join(root, 'out', 'main'), null);
    expect(files.server).toBe(path.join(root, 'out', 'server', 'main.js'));
    expect(files.preload).toBe(path.join(root, 'out', 'preload', 'preload.cjs'));
    expect(files.backends).toBe(path.join(root, 'out', 'native'));
    expect(files.builtInModels).toBe(path.join(root, 'resources'));
    expect(files.icons).toBe(path.join(root, 'resources', 'icon'));
  });

  it('finds models and icons outside the archive of a package', () => {
    const resources = path.resolve('app', 'resources');
    const files = appFiles(path.join(resources, 'app.asar', 'out', 'main'), resources);
    expect(files.engine).toBe(path.join(resources, 'app.asar', 'out', 'server', 'engine.js'));
    expect(files.backends).toBe(path.join(resources, 'app.asar.unpacked', 'out', 'native'));
    expect(files.builtInModels).toBe(path.join(resources, 'models'));
    expect(files.icons).toBe(path.join(resources, 'icon'));
  });
});
