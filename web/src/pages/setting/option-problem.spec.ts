import { describe, expect, it } from '@jest/globals';
import { defaultOptions, optionKeys } from '@tollgate/contracts/options/index';
import { problemOf, textToSave } from './option-problem.js';
import { placeOf, ratioFields, settingTabs, textKey } from './setting-fields.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';

const fields = [...settingTabs.flatMap(({ cards }) => cards.flatMap((card) => card.fields)), ...ratioFields];
const fieldOf = (key: string) => {
  const field = fields.find((one) => one.key === key);
  if (!field) throw new Error(`no field ${key}`);
  return field;
};

describe('fields', () => {
  it('edits every option of the registry exactly once', () => {
    expect(fields.map(({ key }) => key).sort()).toEqual([...optionKeys].sort());
    for (const key of optionKeys) expect(placeOf(key)).toBeDefined();
  });

  it('has a label for each field, a hint where one is declared, and texts for every confirmation and card', () => {
    for (const texts of [zh, en]) {
      const { label, hint, ask, card, saveCard, saveField, saved } = texts as unknown as Record<
        string,
        Record<string, unknown>
      >;
      expect(fields.filter(({ key }) => !label?.[textKey(key)])).toEqual([]);
      expect(fields.filter(({ key, hinted }) => hinted && !hint?.[textKey(key)])).toEqual([]);
      expect(fields.filter(({ key, asks }) => asks && !ask?.[textKey(key)])).toEqual([]);
      for (const { id, saves = 'together', fields: own } of settingTabs.flatMap(({ cards }) => cards)) {
        const button = saves === 'together' && own.length > 0;
        const alone = saves === 'each' ? own.map(({ key }) => textKey(key)) : [];
        expect(alone.filter((key) => !saveField?.[key] || !saved?.[key])).toEqual([]);
        expect([id, typeof card?.[id]]).toEqual([id, 'string']);
        expect([id, typeof saveCard?.[id]]).toEqual([id, button ? 'string' : typeof saveCard?.[id]]);
      }
    }
  });

  it('accepts all default values', () => {
    expect(fields.filter((field) => field.kind !== 'secret' && problemOf(field, defaultOptions[field.key]))).toEqual(
      [],
    );
  });

  it('has valid templates', () => {
    expect(fields.filter((field) => field.template && problemOf(field, field.template))).toEqual([]);
  });
});

describe('problemOf', () => {
  it('names the bounds of a number', () => {
    expect(problemOf(fieldOf('RetryTimes'), '11')).toMatchObject({
      key: 'problem.integer',
      params: { min: '0', max: '10' },
    });
    expect(problemOf(fieldOf('gemini.thinking_adapter_budget_tokens_percentage'), '2')).toMatchObject({
      key: 'problem.decimal',
      params: { min: '0.1', max: '1' },
    });
  });

  it('says where a JSON text is invalid, and which entry is refused', () => {
    expect(problemOf(fieldOf('ModelRatio'), '{"a": 1,\n "b": x}')).toMatchObject({
      key: 'problem.json',
      params: { line: 2, column: 7 },
    });
    expect(problemOf(fieldOf('ModelRatio'), '{"a": 1, "b": -1}')).toMatchObject({
      key: 'problem.entry',
      params: { name: 'b' },
    });
    expect(problemOf(fieldOf('ModelRatio'), '[]')).toMatchObject({ key: 'problem.shape' });
  });

  it('has a text for every problem', () => {
    for (const { kind } of fields)
      expect(Object.keys(zh.problem)).toEqual(expect.arrayContaining([kind === 'json' ? 'json' : kind]));
  });
});

it('removes the slash at the end of an address and nothing else', () => {
  expect(textToSave(fieldOf('ServerAddress'), ' https://a.example/ ')).toBe('https://a.example');
  expect(textToSave(fieldOf('Notice'), 'a/ ')).toBe('a/ ');
});

it('drops the blanks around what fits on one line, and keeps those of longer texts and of secrets', () => {
  expect(textToSave(fieldOf('SystemName'), '  My  gate ')).toBe('My  gate');
  expect(textToSave(fieldOf('TopUpLink'), ' https://a.example/shop/ ')).toBe('https://a.example/shop/');
  expect(textToSave(fieldOf('Price'), ' 7.3 ')).toBe('7.3');
  expect(textToSave(fieldOf('RetryTimes'), ' 3')).toBe('3');
  expect(textToSave(fieldOf('Footer'), ' <b>x</b> ')).toBe(' <b>x</b> ');
  expect(textToSave(fieldOf('SMTPToken'), ' a secret ')).toBe(' a secret ');
});
