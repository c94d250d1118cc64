import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedModel, withModel } from './model-field.js';

const replaced = (body: string, model = 'new') =>
  withModel(Buffer.from(body), 'model', model).toString();

describe('the model of a body', () => {
  it('is replaced where it stands, and nothing else is', () => {
    expect(replaced('{ "a": 1.50,\n "model" : "old" , "b":{"model":"x"}, "c":[{"model":1}]}')).toBe(
      '{ "a": 1.50,\n "model" : "new" , "b":{"model":"x"}, "c":[{"model":1}]}',
    );
  });

  it('is found behind escapes, and each time that it is said', () => {
    expect(replaced('{"mo\\u0064el":"a\\"}","x":"\\"model\\":1","model":"b"}')).toBe(
      '{"mo\\u0064el":"new","x":"\\"model\\":1","model":"new"}',
    );
  });

  it('takes the place of whatever was there', () => {
    for (const value of ['null', '""', '12', 'true', '{"a":["}"]}', '[1,[2]]']) {
      expect(replaced(`{"model":${value}}`)).toBe('{"model":"new"}');
      expect(replaced(`{"model": ${value}\n,"z":1}`)).toBe('{"model": "new"\n,"z":1}');
    }
  });

  it('is put in front where there is none', () => {
    expect(replaced('{"a":1}')).toBe('{"model":"new","a":1}');
    expect(replaced(' { }')).toBe(' {"model":"new" }');
  });

  it('may be any text', () => {
    expect(replaced('{"model":"a"}', 'ü "x"\n')).toBe('{"model":"ü \\"x\\"\\n"}');
  });

  it('is the only thing that changes in any object', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        fc.constantFrom(undefined, 1, '\t'),
        (object, model, indent) => {
          const body = JSON.stringify(object, null, indent);
          const changed = replaced(body, model);
          expect(JSON.parse(changed)).toEqual(JSON.parse(JSON.stringify({ ...object, model })));
        },
      ),
    );
  });
});

describe('who names a model', () => {
  it('says "model", and to Ollama also "name"', () => {
    expect(namedModel({ model: 'a', name: 'b' }, true)).toEqual({ field: 'model', model: 'a' });
    expect(namedModel({ name: 'b' }, true)).toEqual({ field: 'name', model: 'b' });
    expect(namedModel({ name: 'b' }, false)).toEqual({ field: 'model', model: null });
  });

  it('does not by an empty name, nor by what is no text', () => {
    for (const body of [null, 1, 'x', [], {}, { model: '' }, { model: null }, { model: 3 }]) {
      expect(namedModel(body, true)).toEqual({ field: 'model', model: null });
    }
  });
});
