import { describe, expect, it } from 'vitest';
import { ArgumentError, parseArguments } from './arguments.js';

describe('parseArguments', () => {
  it('has defaults', () => {
    expect(parseArguments([])).toEqual({
      port: null,
      modelsDir: null,
      hidden: false,
      link: null,
    });
  });

  it('reads both spellings of a value', () => {
    expect(parseArguments(['--port', '8080', '--models-dir=/srv/my models']).port).toBe(8080);
    expect(parseArguments(['--port=0', '--hidden'])).toEqual({
      port: 0,
      modelsDir: null,
      hidden: true,
      link: null,
    });
  });

  it('finds the link that the system puts among them', () => {
    expect(parseArguments(['--port=0', '--', 'pilotlight://models']).link).toBe(
      'pilotlight://models',
    );
  });

  it('passes over what the system and Chromium add', () => {
    const argv = ['-psn_0_1234', '--no-sandbox', '--inspect=0', '.', '--port=9', 'file.gguf'];
    expect(parseArguments(argv).port).toBe(9);
  });

  it.each(['abc', '-1', '65536', '1.5', '', '99999999'])(
    'refuses the port "%s" by name',
    (port) => {
      expect(() => parseArguments([`--port=${port}`])).toThrow(ArgumentError);
      expect(() => parseArguments([`--port=${port}`])).toThrow(`not "${port}"`);
    },
  );

  it('refuses switches without their value', () => {
    expect(() => parseArguments(['--port'])).toThrow(ArgumentError);
    expect(() => parseArguments(['--models-dir'])).toThrow('--models-dir wants a folder');
    expect(() => parseArguments(['--models-dir='])).toThrow(ArgumentError);
  });
});
