import { describe, expect, it, jest } from '@jest/globals';
import { csvLines } from '@tollgate/contracts/csv';
import fc from 'fast-check';
import { csvRows } from './csv-rows.js';
import { nanos, nanosText } from './decimal.js';
import { formatOf, type InvoiceUsage } from './formats.js';
import { readInvoice } from './read-invoice.js';

const sums = (lines: readonly InvoiceUsage[]) =>
  lines.map(({ day, model, requests, input, cached, output }) => [day, model, requests, input, cached, output]);

describe('rows of a file', () => {
  it('are read as written, whatever their cells contain', () => {
    // Cells that a spreadsheet would execute are written with a leading apostrophe, so they are left out here.
    const cell = fc.string().filter((text) => !/^"?'/.test(csvLines([[text]])));
    const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(rows, (written) => {
        expect([...csvRows(`\uFEFF${csvLines(written)}`)].map(({ cells }) => cells)).toEqual(written);
      }),
    );
  });

  it('are reported by their line where they cannot be read', () => {
    expect([...csvRows('a,b\n\n"x\ny",z\n')]).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: [''] },
      { line: 3, cells: ['x\ny', 'z'] },
    ]);
    expect(() => [...csvRows('a,b\n"x"y,z\n')]).toThrow(/第 2 行/);
    expect(() => [...csvRows('a,b\nc,"d\n')]).toThrow(/第 2 行/);
    expect(() => [...csvRows(','.repeat(500))]).toThrow(/第 1 行/);
    expect(() => [...csvRows('a,b\nc,"d\0"\n')]).toThrow(/第 2 行/);
  });

  it('are refused in linear time, where a quote is never closed or followed by text', () => {
    const long = 'a'.repeat(9000);
    for (const cell of [
      `"${long}`,
      `"${long}"x`,
      `"${'""'.repeat(4500)}`,
      `"${`${long}`.repeat(100)}`,
      `"${'a""'.repeat(3000)}"x,b`,
    ])
      expect(() => [...csvRows(`a,b\n${cell}`)]).toThrow(/第 2 行/);
    expect([...csvRows(`"${'""'.repeat(4000)}",b`)]).toEqual([{ line: 1, cells: ['"'.repeat(4000), 'b'] }]);
    expect([...csvRows('a,""\n"",b\r"",')].map(({ cells }) => cells)).toEqual([
      ['a', ''],
      ['', 'b'],
      ['', ''],
    ]);
  });
});

describe('amounts', () => {
  it('are exact', () => {
    expect(nanos('7.817400')).toBe(7_817_400_000n);
    expect(nanos('$1,234.5')).toBe(1_234_500_000_000n);
    expect(nanos('-0.000000001')).toBe(-1n);
    expect(nanos('1.5e-3')).toBe(1_500_000n);
    expect([' ( $1.5 ) ', '-$1.5', '$ -1.5', '- 1.5'].map(nanos)).toEqual(Array(4).fill(-1_500_000_000n));
    const others = ['n/a', '€1.5', '¥10', '(1.5', '1.5)', '-(1.5)', '(-1.5)', '-$-1.5', '()', '(', '$', '((1))'];
    expect(others.filter((text) => nanos(text) !== undefined)).toEqual([]);
    expect([nanosText(7_817_400_000n), nanosText(-1n), nanosText(0n)]).toEqual(['7.8174', '-0.000000001', '0']);
  });
});

describe('the files of providers', () => {
  it("OpenAI's usage adds buckets, keys and versions of a model up, and leaves empty buckets out", async () => {
    const csv = [
      'start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,user_id,api_key_id,model,batch,input_tokens,output_tokens,input_cached_tokens,input_uncached_tokens',
      '1761523200,1761523260,2025-10-27T00:00:00+00:00,2025-10-27T00:01:00+00:00,,,,,,,,,,',
      '1761523800,1761523860,2025-10-27T00:10:00+00:00,2025-10-27T00:11:00+00:00,proj,3.0,,key_a,gpt-4o-2024-08-06,False,4212,1673,1280,2932',
      '1761523800,1761523860,2025-10-27T00:10:00+00:00,2025-10-27T00:11:00+00:00,proj,3.0,,key_b,gpt-4o,False,5904,1419,0,5904',
    ].join('\r\n');
    const { lines, rows, firstDay } = await readInvoice(csv, formatOf('openai', undefined));
    expect([rows, firstDay]).toEqual([2, '2025-10-27']);
    expect(sums(lines)).toEqual([['2025-10-27', 'gpt-4o', 6, 10_116, 1280, 3092]]);
  });

  it("OpenAI's costs name the model in their line items", async () => {
    const csv = [
      'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,quantity,quantity_unit,line_item,user_id,api_key_id,project_id',
      '1790467200,1790553600,2026-09-27T00:00:00+00:00,2026-09-28T00:00:00+00:00,,,,,,,,',
      '1790553600,1790640000,2026-09-28T00:00:00+00:00,2026-09-29T00:00:00+00:00,0.06,usd,24000,tokens,"gpt-4o-2024-08-06, input",,,p',
      '1790553600,1790640000,2026-09-28T00:00:00+00:00,2026-09-29T00:00:00+00:00,0.005,usd,500,tokens,"gpt-4o-2024-08-06, output",,,p',
    ].join('\n');
    const { lines } = await readInvoice(csv, formatOf('openai', undefined));
    expect(lines).toMatchObject([{ day: '2026-09-28', model: 'gpt-4o', amount: 65_000_000n }]);
  });

  it("Anthropic's usage counts the tokens of caches beside those of the prompt", async () => {
    const csv = [
      'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count,inference_geo,speed',
      '2026-03-22,claude-sonnet-4-20250514,key,Default,standard,≤ 200k,1000,20,3,400,50,0,,',
      '2026-03-22,claude-sonnet-4-20250514,other,Default,batch,≤ 200k,1,0,0,0,2,0,,',
    ].join('\n');
    const { lines } = await readInvoice(csv, formatOf('anthropic', undefined));
    expect(sums(lines)).toEqual([['2026-03-22', 'claude-sonnet-4', 0, 1424, 400, 52]]);
  });

  it("Google's reports and cost tables are articles, below a head of their own", async () => {
    const report = [
      'Date,Service description,Service ID,SKU description,SKU ID,Usage amount,Usage unit,List cost ($),Negotiated savings ($),Savings programs ($),Other savings ($),Unrounded subtotal ($),Subtotal ($)',
      '2026-08-15,Gemini API,A,Generate content output token count gemini 2.5 flash short input text,B,"622,403",count,1.56,0.00,0.00,0.00,1.555990,1.56',
      '2026-08-15,Gemini API,A,Generate content input token count gemini 2.5 flash short input text,C,"1,000",count,1.56,0.00,0.00,0.00,0.5,0.5',
      '2026-08-15,Gemini API,A,Generate content cached input token count gemini 2.5 flash short text,D,200,count,1.56,0.00,0.00,0.00,0.1,0.1',
      '2026-08-15,Gemini API,A,Gemini 2.5 Flash Input Text Caching Storage,E,12,h,1.56,0.00,0.00,0.00,0.1,0.1',
      ',,,,,,,,,,,2.2,2.2',
    ].join('\n');
    const read = await readInvoice(report, formatOf('google', undefined));
    expect(sums(read.lines)).toEqual([['2026-08-15', 'gemini-2.5-flash', 0, 1200, 200, 622_403]]);
    expect(read.lines[0]?.amount).toBe(2_255_990_000n);

    const table = [
      'Invoice number,123,',
      'Currency,USD,',
      'Billing account name,Billing account ID,Project name,Project ID,Project hierarchy,Service description,Service ID,SKU description,SKU ID,Consumption model description,Credit type,Cost type,Usage start date,Usage end date,Usage amount,Usage unit,Unrounded Cost ($),Cost ($)',
      'a,b,c,d,e,Vertex AI,S,Gemini 2.5 Pro Text Output - Predictions,K,Default,,Usage,2026-01-01,2026-01-01,"1,000",count,60.00,60.00',
      'a,b,c,d,e,Vertex AI,S,Gemini 2.5 Pro Text Output - Predictions,K,Default,PROMOTION,Usage,2026-01-01,2026-01-01,0,count,-60.00,-60.00',
    ].join('\n');
    expect(sums((await readInvoice(table, formatOf('google', undefined))).lines)).toEqual([
      ['2026-01-01', 'gemini-2.5-pro', 0, 0, 0, 1000],
    ]);
  });

  it('any other is read by the names of its columns', async () => {
    const columns = { day: 'date', model: 'name', input: 'in', cache_read: 'hit', input_includes_cache: false };
    const { lines } = await readInvoice('date,name,in,hit\n2026-01-02,m,5,3\n', formatOf('columns', columns));
    expect(sums(lines)).toEqual([['2026-01-02', 'm', 0, 8, 3, 0]]);
  });

  it('have days in their own time zone, whatever that of the server', async () => {
    const columns = { day: 'd', model: 'm', input_includes_cache: true };
    const dayIn = async (text: string) =>
      (await readInvoice(`d,m\n${text},x\n`, formatOf('columns', columns))).firstDay;
    const parse = jest.spyOn(Date, 'parse');
    expect(await dayIn('2026-11-23T00:00:00')).toBe('2026-11-23');
    expect(await dayIn('2026-11-23 23:59:59')).toBe('2026-11-23');
    expect(await dayIn('2026-11-23 00:00:00 UTC')).toBe('2026-11-23');
    expect(await dayIn('2026-11-23T00:00:00Z')).toBe('2026-11-23');
    expect(await dayIn('2026-11-23T01:00:00+02:00')).toBe('2026-11-22');
    // A time without an offset is in the server's time zone, which the test cannot change; so such texts must not be
    // parsed.
    const read = parse.mock.calls.map(([text]) => text).filter((text) => text.includes(':'));
    parse.mockRestore();
    expect(read.length).toBeGreaterThan(4);
    for (const text of read) expect(text).toMatch(/(?:Z|UTC|\+02:00)$/);
  });

  it('are refused with an implausibly large cell', async () => {
    const columns = { day: 'd', model: 'm', input: 'i', amount: 'a', input_includes_cache: true };
    const read = (...rows: string[]) => readInvoice(`d,m,i,a\n${rows.join('\n')}\n`, formatOf('columns', columns));
    const most = String(Number.MAX_SAFE_INTEGER);
    expect((await read(`2026-01-02,${'m'.repeat(256)},${most},999999999`)).rows).toBe(1);
    for (const row of [
      `2026-01-02,${'m'.repeat(257)},1,1`,
      `2026-01-02,m,1,${'9'.repeat(40)}`,
      '2026-01-02,m,1,1e30',
      '9999999999,m,1,1',
      '0000-01-01,m,1,1',
      '2026-02-30 10:00:00,m,1,1',
    ])
      await expect(read(row)).rejects.toThrow(/第 2 行的/);
    await expect(read(`2026-01-02,m,${most},1`, `2026-01-02,m,1,1`)).rejects.toThrow(/第 3 行的/);
    expect((await read('2026-01-02,m,1,999999999', '2026-01-02,m,1,999999999')).rows).toBe(2);
  });

  it('are refused with the missing column, or the faulty cell and its line', async () => {
    const columns = { day: 'd', model: 'm', input: 'i', input_includes_cache: true };
    const read = (csv: string) => readInvoice(csv, formatOf('columns', columns));
    await expect(read('a,b\n1,2\n')).rejects.toThrow(/缺少列：d, m, i/);
    await expect(read('d,m,i\n2026-01-02,x,many\n')).rejects.toThrow(/第 2 行的“many”/);
    await expect(read('d,m,i\n2026-02-30,x,1\n')).rejects.toThrow(/第 2 行的“2026-02-30”/);
    await expect(read('d,m,i\n')).rejects.toThrow(/没有用量/);
    await expect(read('d,m,i\n2024-01-02,x,1\n2026-01-02,x,1\n')).rejects.toThrow(/时间跨度/);
  });

  it('are refused where a needed column is repeated, or a row has fewer or more cells', async () => {
    const columns = { day: 'd', model: 'm', input: 'i', input_includes_cache: true };
    const read = (csv: string) => readInvoice(csv, formatOf('columns', columns));
    await expect(read('d,m,i, i\n2026-01-02,x,1,2\n')).rejects.toMatchObject({
      code: 'invoice-column-twice',
      details: { params: { name: 'i' } },
    });
    expect((await read('d,m,i,note,note,\n2026-01-02,x,1,a,b\n\n,,,,\n')).rows).toBe(1);
    for (const cut of ['2026-01-03', '2026-01-03,x', '2026-01-03,x,1', '2026-01-03,x,1,234,2'])
      await expect(read(`d,m,i,o\n2026-01-02,x,1,1\n${cut}`)).rejects.toMatchObject({
        code: 'invoice-unreadable',
        details: { params: { line: 3 } },
      });
    await expect(read('d,m,i\n2026-01-02,a\0b,1\n')).rejects.toThrow(/第 2 行无法读取/);
  });

  it('are refused with their separator if that is no comma, as a decimal point may then be one', async () => {
    const columns = { day: 'd', model: 'm', amount: 'a', input_includes_cache: true };
    const read = (csv: string) => readInvoice(csv, formatOf('columns', columns));
    for (const separator of [';', '\t'])
      for (const head of [
        ['d', 'm', 'a'],
        ['"d"', '"m"', '"a"'],
      ])
        await expect(read(`${head.join(separator)}\n2026-01-02${separator}x${separator}1,234\n`)).rejects.toMatchObject(
          {
            code: 'invoice-separator',
            details: { params: { separator } },
          },
        );
    await expect(read('a;b;c\n1;2;3\n')).rejects.toMatchObject({ code: 'invoice-without-columns' });
  });

  it('of credit notes subtract tokens and amounts', async () => {
    const columns = { day: 'd', model: 'm', input: 'i', amount: 'a', input_includes_cache: true };
    const text =
      '\uFEFFd,m,i,a\r\n2026-01-02,x,"1,500",$3.00\r\n2026-01-02,x,-500,($1.00)\r\n2026-01-03,x,"-1,000",-0.5\r\n';
    const { lines } = await readInvoice(text, formatOf('columns', columns));
    expect(lines.map(({ day, input, amount }) => [day, input, amount])).toEqual([
      ['2026-01-02', 1000, 2_000_000_000n],
      ['2026-01-03', -1000, -500_000_000n],
    ]);
  });

  it('let other work run while they are read', async () => {
    const columns = { day: 'd', model: 'm', input_includes_cache: true };
    let turns = 0;
    let reading = true;
    const count = () => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    await readInvoice(`d,m\n${'2026-01-02,x\n'.repeat(5000)}${'\n'.repeat(5000)}`, formatOf('columns', columns));
    reading = false;
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  it('identify models by their stored names, so that names that are stored alike are one', async () => {
    const text = 'd,m,i\n2026-11-01,a\ud800,1\n2026-11-01,a\udfff,2\n';
    const columns = { day: 'd', model: 'm', input: 'i', input_includes_cache: true };
    expect(sums((await readInvoice(text, formatOf('columns', columns))).lines)).toEqual([
      ['2026-11-01', 'a\ufffd', 0, 3, 0, 0],
    ]);
  });
});
