import { gzipSync } from 'node:zlib';
import { RULE_NAMES } from '../../libs/problem';
import { LEAK } from '../fuzz/judge';
import { app, bearer, shareEdge, startEdge } from './edge-app';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the input of a route', () => {
  shareEdge();

  const get = (url: string) => app.inject({ method: 'GET', url, headers: bearer() });
  const post = (url: string, payload?: string | object, headers: Record<string, string> = {}) =>
    app.inject({ method: 'POST', url, payload, headers: { ...bearer(), ...headers } });
  const grab = (payload?: string | object, headers?: Record<string, string>) =>
    post('/sample/things/7/grabs', payload, headers);

  const rain = { name: 'rain', opensAt: '2031-02-01T20:00:00Z', tiers: [{ amount: '7.10' }] };

  describe('a route that takes no body', () => {
    it.each([
      ['nothing', undefined, {}],
      ['an empty body of JSON type', '', JSON_TYPE],
      ['an empty object', '{}', JSON_TYPE],
    ])('accepts %s', async (_, payload, headers) => {
      expect((await grab(payload, headers)).json()).toEqual({ id: '7' });
    });

    it.each([
      ['body', () => grab({ userId: 'u2' }), 'userId'],
      ['query', () => post('/sample/things/7/grabs?userId=u2'), 'userId'],
      ['query of a GET', () => get('/sample/me?sub=u2'), 'sub'],
      ['header x-user-id', () => grab(undefined, { 'x-user-id': 'u2' }), 'x-user-id'],
      ['header x-user', () => grab(undefined, { 'x-user': 'u2' }), 'x-user'],
      ['header user-id', () => grab(undefined, { 'user-id': 'u2' }), 'user-id'],
      ['body that is a list', () => grab('[1]', JSON_TYPE), 'body'],
      ['body that is a number', () => grab('0', JSON_TYPE), 'body'],
    ])('answers 400 to a user id in its %s, and names it', async (_, send, field) => {
      const answer = await send();
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ code: 'request.unknown_field', errors: [{ field }] });
    });
  });

  describe('a validated body', () => {
    it('passes when it is valid', async () => {
      const answer = await post('/sample/rains', rain);
      expect(answer.statusCode).toBe(201);
      expect(answer.json()).toEqual(rain);
    });

    it('names every field at fault by its full path', async () => {
      const answer = await post('/sample/rains', {
        ...rain,
        name: 'x'.repeat(41),
        tiers: [{ amount: '1' }, { amount: '-1' }],
      });
      expect(answer.json()).toMatchObject({
        type: '/docs/errors#request.invalid',
        title: 'Invalid request',
        status: 400,
        code: 'request.invalid',
        errors: [
          {
            field: 'name',
            rule: 'size',
            message: 'must have 1 to 40 characters',
            minimum: '1',
            maximum: '40',
          },
          { field: 'tiers[1].amount', message: expect.stringContaining('must be an amount of money') },
        ],
      });
    });

    it('says how many decimals an amount may have if it has too many', async () => {
      const faultOf = async (amount: string) =>
        (await post('/sample/rains', { ...rain, tiers: [{ amount }] })).json().errors[0].message;
      expect(await faultOf('12.345')).toBe('must have at most two decimals');
      expect(await faultOf('0.00')).toMatch(/^must be an amount of money above zero/);
      expect(await faultOf('1e3')).toMatch(/^must be an amount of money/);
    });

    it.each([
      ['-1.00', '0', '0.00', '-0', '', '.5', '5.', '07.10', '+1'],
      ['NaN', 'Infinity', '1e3', '0x10', '12.345', ' 5', '5 ', '1,000', '٥'],
      ['9223372036854775808', 7.1, 710, null, true, [], {}, ['7.10']],
    ])('answers 400 to an amount like %p', async (...amounts) => {
      for (const amount of amounts) {
        const answer = await post('/sample/rains', { ...rain, tiers: [{ amount }] });
        expect({ amount, status: answer.statusCode }).toEqual({ amount, status: 400 });
        expect(answer.json().errors[0].field).toMatch(/^tiers\[0\]/);
      }
    });

    it.each(['2031-02-01T20:00:00Z', '2031-02-01T20:00:00.123456+08:00', '2028-02-29T00:00:00Z'])(
      'accepts the instant %s',
      async (opensAt) => {
        expect((await post('/sample/rains', { ...rain, opensAt })).statusCode).toBe(201);
      },
    );

    it.each([
      '2031-02-01',
      '2031-02-01T20:00:00',
      '2031-02-01 20:00:00Z',
      '2031-02-30T20:00:00Z',
      '2031-02-29T20:00:00Z',
      '2031-13-01T20:00:00Z',
      '2031-02-01T24:00:00Z',
      '+02031-02-01T20:00:00Z',
      'tomorrow',
      1_900_000_000,
    ])('answers 400 to the instant %p', async (opensAt) => {
      const answer = await post('/sample/rains', { ...rain, opensAt });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().errors).toEqual([
        { field: 'opensAt', rule: 'form', expected: 'instant', message: expect.any(String) },
      ]);
    });

    it.each([
      ['[{}]', 'a list'],
      ['"{}"', 'text: it may be encoded twice'],
      ['7', 'a number'],
      ['true', 'a boolean'],
    ])('says that the body is not an object: %s', async (payload, found) => {
      const answer = await post('/sample/rains', payload, JSON_TYPE);
      expect(answer.json().errors).toEqual([
        {
          field: 'body',
          rule: 'form',
          expected: 'object',
          message: `must be a JSON object, and is ${found}`,
        },
      ]);
    });

    it.each(['null', '[]', '[[]]', '"rain"', '7', '{}', ''])(
      'answers 400 to the body %s',
      async (payload) => {
        const answer = await post('/sample/rains', payload, JSON_TYPE);
        expect(answer.statusCode).toBe(400);
        expect(answer.json().code).toBe('request.invalid');
        for (const { field, rule } of answer.json().errors)
          expect([typeof field, RULE_NAMES]).toEqual(['string', expect.arrayContaining([rule])]);
      },
    );
  });

  describe('hostile bytes:', () => {
    const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

    it.each([
      ['JSON that is cut off', '{"name":', 400],
      ['text that is not JSON', "{name: 'x'}", 400],
      ['JSON with a NUL', '{"name":"\0"}', 400],
      ['__proto__', '{"__proto__":{"role":"operator"}}', 400],
      ['constructor.prototype', '{"constructor":{"prototype":{"role":"operator"}}}', 400],
      ['nested __proto__', '{"name":{"__proto__":1}}', 400],
      ['deep JSON in a known field', `{"tiers":${deep(7000)}}`, 400],
      ['deep JSON in an unknown field', `{"x":${deep(7000)}}`, 400],
      ['more than 16 KiB', JSON.stringify({ name: 'x'.repeat(16 * 1024) }), 413],
    ])('%s is refused', async (_, payload, status) => {
      for (const url of ['/sample/rains', '/sample/things/7/grabs']) {
        const answer = await post(url, payload, JSON_TYPE);
        expect(answer.statusCode).toBe(status);
        expect(answer.headers['content-type']).toBe('application/problem+json');
        expect(answer.body).not.toMatch(LEAK);
      }
    });

    it.each([
      ['a list of empty objects', { ...rain, tiers: Array.from({ length: 3000 }, () => ({})) }],
      ['unknown fields', Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}`, 1]))],
      ['nested lists', { ...rain, tiers: [Array.from({ length: 3000 }, () => 1)] }],
    ])('a body with very many values is refused before they are examined: %s', async (_, payload) => {
      for (const url of ['/sample/rains', '/sample/things/7/grabs']) {
        const answer = await post(url, payload);
        expect(answer.statusCode).toBe(400);
        expect(answer.json()).toMatchObject({
          code: 'request.malformed',
          detail: 'The body has more than 600 values.',
        });
      }
    });

    it('truncated or invalid JSON is refused with the position of its fault, and without an echo', async () => {
      const detailOf = async (payload: string) => {
        const answer = await post('/sample/rains', payload, JSON_TYPE);
        return [answer.statusCode, answer.json().code, answer.json().detail];
      };
      const refused = [400, 'request.malformed'];
      expect(await detailOf('{\n  "name": secret\n}')).toEqual([
        ...refused,
        'The body is not JSON at line 2, column 11.',
      ]);
      expect(await detailOf('{"name":')).toEqual([...refused, 'The body is not JSON: it ends too early.']);
    });

    it.each(['{"__proto__":{}}', '{"name":{"constructor":{"prototype":1}}}'])(
      'a key that would change a prototype is named: %s',
      async (payload) => {
        expect((await post('/sample/rains', payload, JSON_TYPE)).json().detail).toBe(
          'The body has a key that is not allowed: "__proto__", or a "prototype" in a "constructor".',
        );
      },
    );

    it.each([
      ['{"name":"a","name":"b"}', 'name'],
      ['{"tiers":[{"amount":"7.10","packets":1,"\\u0061mount":"0.10"}]}', 'amount'],
      [`{"${'k'.repeat(70)}":1,"${'k'.repeat(70)}":2}`, 'k'.repeat(64)],
    ])(
      'a body in which an object has a key twice is refused, and names the key: %s',
      async (payload, key) => {
        expect((await post('/sample/rains', payload, JSON_TYPE)).json()).toMatchObject({
          status: 400,
          code: 'request.malformed',
          detail: `The body has "${key}" twice.`,
        });
      },
    );

    it('a compressed body is refused as compressed, and plain text whose header a proxy has kept is read', async () => {
      const send = (payload: Buffer) =>
        app.inject({
          method: 'POST',
          url: '/sample/rains',
          payload,
          headers: { ...bearer(), ...JSON_TYPE, 'content-encoding': 'gzip' },
        });
      const body = Buffer.from(JSON.stringify(rain));
      expect((await send(gzipSync(body))).json()).toMatchObject({
        status: 415,
        detail: 'Send the body uncompressed, without a Content-Encoding.',
      });
      expect((await send(body)).json().name).toBe(rain.name);
    });

    it('text in another encoding is refused, and never stored with replaced characters', async () => {
      const gbk = [0xce, 0xe7, 0xb2, 0xcd];
      const payload = Buffer.from([...Buffer.from('{"name":"'), ...gbk, ...Buffer.from('"}')]);
      for (const type of ['application/json', 'application/json; charset=gbk']) {
        const headers = { ...bearer(), 'content-type': type };
        const answer = await app.inject({ method: 'POST', url: '/sample/rains', payload, headers });
        expect(answer.json()).toMatchObject({ code: 'request.malformed', detail: 'The body is not UTF-8.' });
      }
      expect((await post('/sample/rains', { ...rain, name: '午餐' })).json().name).toBe('午餐');
    });

    it('a body with 600 values is examined, and a body with 601 values is not', async () => {
      const codeOf = async (values: number) => {
        const fields = Array.from({ length: values - 1 }, (_, i) => [`field${i}`, 1]);
        return (await post('/sample/rains', Object.fromEntries(fields))).json().code;
      };
      expect(await codeOf(600)).toBe('request.invalid');
      expect(await codeOf(601)).toBe('request.malformed');
    });

    it.each(['limit=5', 'userId=u2'])(
      'very many query parameters are refused in the same way: %s',
      async (parameter) => {
        for (const url of ['/sample/pages', '/sample/me', '/nowhere']) {
          const answer = await get(`${url}?${Array.from({ length: 51 }, () => parameter).join('&')}`);
          expect(answer.statusCode).toBe(400);
          expect(answer.json()).toMatchObject({
            code: 'request.malformed',
            detail: 'The query has more than 50 parameters.',
          });
        }
      },
    );

    const PROTOTYPE_NAMES = ['valueOf', 'toString', 'constructor', 'hasOwnProperty', '__defineGetter__'];

    it.each(PROTOTYPE_NAMES)('a field named %s is unknown everywhere', async (name) => {
      const refused = async (payload: object, field: string) =>
        expect((await post('/sample/rains', payload)).json()).toMatchObject({
          code: 'request.unknown_field',
          errors: [{ field }],
        });
      await refused({ ...rain, [name]: 1 }, name);
      await refused({ ...rain, tiers: [{ amount: '7.10', [name]: {} }] }, `tiers[0].${name}`);
    });

    it.each([...PROTOTYPE_NAMES, '__proto__'])(
      'a query parameter named %s is unknown everywhere',
      async (name) => {
        const answer = await get(`/sample/pages?${name}=1`);
        expect(answer.statusCode).toBe(400);
        expect(answer.json()).toMatchObject({ code: 'request.unknown_field', errors: [{ field: name }] });
      },
    );

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'nonsense',
    ])('a body of type %s answers 415', async (type) => {
      const answer = await post('/sample/rains', 'name=rain', { 'content-type': type });
      expect(answer.statusCode).toBe(415);
      expect(answer.json().code).toBe('request.unsupported_media_type');
    });
  });

  describe('an id in the path', () => {
    it.each(['1', '42', '9223372036854775807'])('accepts %s', async (id) => {
      expect((await post(`/sample/things/${id}/grabs`)).json()).toEqual({ id });
    });

    it.each([
      '0',
      '-1',
      '01',
      '1.5',
      '1e3',
      '0x10',
      'abc',
      '9223372036854775808',
      '9'.repeat(30),
      '9'.repeat(2000),
    ])('answers 400 to %s', async (id) => {
      const answer = await post(`/sample/things/${id}/grabs`);
      expect(answer.statusCode).toBe(400);
    });

    it.each(
      ['{', '}', ':', '*', '\0', '🧧', '../1', '1/../2', '1 ', "1'--", '٤٢', '1\0', '%'].map(
        encodeURIComponent,
      ),
    )('answers 400 to %s', async (id) => {
      expect((await post(`/sample/things/${id}/grabs`)).statusCode).toBe(400);
    });

    it.each(['%', '%zz', '%ff', '*', ':', '{}', ''])('answers 400 or 404 to a raw %j', async (id) => {
      const answer = await post(`/sample/things/${id}/grabs`);
      expect([400, 404]).toContain(answer.statusCode);
      expect(answer.headers['content-type']).toBe('application/problem+json');
    });

    it('is answered 400 with the name of its parameter', async () => {
      expect((await post('/sample/things/x/grabs')).json()).toMatchObject({
        code: 'request.invalid',
        errors: [{ field: 'id', rule: 'form', expected: 'id', message: 'must be a decimal id' }],
      });
      expect((await get('/sample/wallets/a%20b')).json().errors[0].field).toBe('ownerId');
    });
  });

  describe('pages of a list', () => {
    it('show a list to the end, every item once', async () => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const page = (await get(`/sample/pages?limit=100${query}`)).json();
        seen.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual(Array.from({ length: 250 }, (_, i) => String(250 - i)));
    });

    it('have 20 items by default', async () => {
      expect((await get('/sample/pages')).json().items).toHaveLength(20);
    });

    it.each([
      'limit=0',
      'limit=101',
      'limit=1000000000',
      'limit=-1',
      'limit=1.5',
      'limit=',
      'limit=ten',
      'limit=5&limit=6',
    ])('answer 400 to %s', async (query) => {
      const answer = await get(`/sample/pages?${query}`);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().errors[0].field).toBe('limit');
    });

    const marked = (text: string) => Buffer.from(text).toString('base64url');
    it.each([
      'x',
      '',
      'MTIz',
      marked('after:abc'),
      marked('after:'),
      marked('after:1;drop table claim'),
      'a'.repeat(500),
    ])('answer 400 to the cursor %s', async (cursor) => {
      const answer = await get(`/sample/pages?cursor=${cursor}`);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().errors[0].field).toBe('cursor');
    });
  });
});

describe('amounts in a currency without decimals', () => {
  it('are refused with a decimal point', async () => {
    const app = await startEdge({ CURRENCY: 'JPY' });
    const send = (amount: string) =>
      app.inject({
        method: 'POST',
        url: '/sample/rains',
        headers: bearer(),
        payload: { name: 'rain', opensAt: '2031-02-01T20:00:00Z', tiers: [{ amount }] },
      });
    expect((await send('710')).statusCode).toBe(201);
    expect((await send('7.10')).json().errors[0].message).toBe('must have no decimals in this currency');
    expect((await send('-1')).json().errors[0].message).toContain('"710"');
    await app.close();
  });
});
