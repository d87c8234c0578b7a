import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Problem } from '../../../../libs/problem';
import { loadConfig } from '../../config';
import { KeyedDigest } from './keyed-digest';
import { type ReadTokenClaims, tokenClaimsReader } from './token-claims';

const SECRET = 'signs-the-tokens-of-this-file-0123456789';
const ISSUER = 'https://issuer.example';
const HEADER = { alg: 'HS256', typ: 'JWT' };
const inFuture = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
const CLAIMS = { sub: 'u1', role: 'user', exp: inFuture(3600) };

const readerFor = (settings: object = {}): ReadTokenClaims =>
  tokenClaimsReader(
    loadConfig({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      JWT_SECRET: SECRET,
      ...settings,
    }),
  );

const inBase64 = (part: object | string | Buffer): string =>
  Buffer.from(typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part)).toString(
    'base64url',
  );

const signatureOf = (text: string, secret = SECRET, algorithm = 'sha256'): string =>
  createHmac(algorithm, secret).update(text).digest('base64url');

/** Signs whatever stands there, as only a holder of the secret can. */
const sealed = (text: string): string => `${text}.${signatureOf(text)}`;

const signed = (payload: object | string | Buffer, header: object | string = HEADER): string =>
  sealed(`${inBase64(header)}.${inBase64(payload)}`);

/** What becomes of a token, as far as anybody outside can see. */
async function verdictOf(read: ReadTokenClaims, token: string): Promise<unknown> {
  try {
    return JSON.stringify(await read(token));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, status, detail, retryAfterSeconds } = error;
    return { code, status, detail, retryAfterSeconds };
  }
}

/** Has seen tokens with these headers, so it reads plain ones by itself. One that has seen none asks the library. */
async function experienced(settings: object = {}, headers: readonly object[] = [HEADER]) {
  const read = readerFor(settings);
  for (const header of headers) await read(signed({ ...CLAIMS, aud: 'hongbao', iss: ISSUER }, header));
  return read;
}

const plain = signed(CLAIMS);
const [header, payload, signature] = plain.split('.') as [string, string, string];
const flipped = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

/** Text that fills its last group of letters, so that one more is none of its bytes. */
const threeBytesAtATime = (claims: object): string => {
  const text = JSON.stringify(claims);
  return text + ' '.repeat((3 - (text.length % 3)) % 3);
};

const MALFORMED: Record<string, string> = {
  nothing: '',
  'one part': header,
  'two parts': `${header}.${payload}`,
  'four parts': `${plain}.${signature}`,
  'an empty payload': sealed(`${header}.`),
  'an empty header': sealed(`.${payload}`),
  'no signature': `${header}.${payload}.`,
  'a signature with one letter less': plain.slice(0, -1),
  'a signature with one letter more': `${plain}A`,
  'half a signature': plain.slice(0, -20),
  'a padded signature': `${plain}=`,
  'a padded payload': sealed(`${header}.${payload}==`),
  'a padded header': sealed(`${header}=.${payload}`),
  'letters of plain base64': sealed(
    `${header}.${inBase64('{"sub":"u?>>~","exp":9e9}').replace(/-/g, '+').replace(/_/g, '/')}+/`,
  ),
  'a payload with a letter too many': sealed(`${header}.${inBase64(threeBytesAtATime(CLAIMS))}A`),
  'a line feed after it': `${plain}\n`,
  'a letter beyond ASCII': `${header}.${payload}é.${signature}`,
  'another first letter of the signature': `${header}.${payload}.${flipped(signature, 0)}`,
  'another payload': `${header}.${flipped(payload, 8)}.${signature}`,
  'another header': `${flipped(header, 4)}.${payload}.${signature}`,
  'another key': `${header}.${payload}.${signatureOf(`${header}.${payload}`, 'another secret, as long as the first')}`,
  'a longer hash': `${header}.${payload}.${signatureOf(`${header}.${payload}`, SECRET, 'sha512')}`,
  'a hash that is none of HMAC': `${header}.${payload}.${inBase64(randomBytes(32))}`,
  'more than a request can hold': signed({ ...CLAIMS, more: 'x'.repeat(9000) }),
};

const HEADERS: Record<string, object | string> = {
  'no algorithm': { typ: 'JWT' },
  none: { alg: 'none' },
  None: { alg: 'None', typ: 'JWT' },
  HS512: { alg: 'HS512' },
  RS256: { alg: 'RS256' },
  'a list of algorithms': { alg: ['HS256'] },
  hs256: { alg: 'hs256' },
  'one more field': { ...HEADER, kid: 'k1' },
  'fields in another order': { typ: 'JWT', alg: 'HS256' },
  'another type': { ...HEADER, typ: 'at+jwt' },
  'a type that is a number': { ...HEADER, typ: 1 },
  'an extension that nobody knows': { ...HEADER, crit: ['x'], x: 1 },
  'no extensions': { ...HEADER, crit: [] },
  'a payload that is not encoded': { ...HEADER, crit: ['b64'], b64: false },
  'a payload that is encoded, said twice': { ...HEADER, crit: ['b64'], b64: true },
  'the algorithm twice': '{"alg":"HS256","alg":"none"}',
  'the algorithm twice, right at last': '{"alg":"none","alg":"HS256"}',
  'no object': '[]',
  'no JSON': 'HS256',
  null: 'null',
};

const PAYLOADS: Record<string, object | string | Buffer> = {
  'no object': '"u1"',
  'a list': [CLAIMS],
  null: 'null',
  'a number': '7',
  'no JSON': '{"sub":',
  nothing: ' ',
  'bytes that are no text': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
  'bytes in a claim that are no text': Buffer.concat([
    Buffer.from(`{"sub":"u1","exp":${CLAIMS.exp},"name":"`),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}'),
  ]),
  'a byte order mark': `\ufeff${JSON.stringify(CLAIMS)}`,
  'a character that stands for no text': { ...CLAIMS, name: '\ufffd' },
  'names beyond ASCII': { ...CLAIMS, name: '红包 🧧' },
  'a user twice': `{"sub":"eve","sub":"u1","exp":${CLAIMS.exp}}`,
  'an expiry twice': `{"sub":"u1","exp":${CLAIMS.exp},"exp":1}`,
  'a prototype': `{"__proto__":{"exp":${CLAIMS.exp}},"sub":"u1"}`,
  'no expiry': { sub: 'u1' },
  ...Object.fromEntries(
    ['exp', 'nbf', 'iat'].flatMap((claim) =>
      [
        '"1"',
        '"99999999999"',
        '["99999999999"]',
        '1e400',
        '-1e400',
        '1e99',
        '-1',
        '-0',
        '0',
        '1.5',
        'null',
        'true',
        '[1]',
        '{}',
        '""',
        '9007199254740993',
      ].map((value): [string, string] => [
        `${claim} ${value}`,
        `{"sub":"u1","exp":${CLAIMS.exp},"${claim}":${value}}`,
      ]),
    ),
  ),
};

const OFFSETS = [-3600, -6, -5, -4, -1, 0, 1, 4, 5, 6, 3600];

const ALL_BUT_THE_DATE = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

describe('a reader of plain tokens', () => {
  it('answers at once, once the library has accepted a token with the same header', async () => {
    const read = readerFor();
    expect(read(plain)).toBeInstanceOf(Promise);
    await read(plain);
    expect(read(signed({ ...CLAIMS, sub: 'u2' }))).toEqual({ ...CLAIMS, sub: 'u2' });
    expect(read(signed(CLAIMS, { alg: 'HS256' }))).toBeInstanceOf(Promise);
  });

  it('learns no header from a token that the library refuses', async () => {
    const read = readerFor();
    const expired = { ...CLAIMS, exp: inFuture(-60) };
    for (const one of [HEADER, { alg: 'none' }, { alg: 'HS512' }])
      await expect(read(signed(expired, one))).rejects.toThrow(Problem);
    expect(read(plain)).toBeInstanceOf(Promise);
  });

  it('knows a few headers at most, and asks the library about all others', async () => {
    const headers = Array.from({ length: 9 }, (_, i) => ({ ...HEADER, kid: `k${i}` }));
    const read = await experienced({}, headers);
    const plainOnes = headers.filter((one) => !(read(signed(CLAIMS, one)) instanceof Promise));
    expect(plainOnes).toEqual(headers.slice(0, 8));
  });
});

describe('what becomes of a token is the same, whether the library is asked or not:', () => {
  const headers = [HEADER, { alg: 'HS256' }, { ...HEADER, crit: ['b64'], b64: true }];
  const settings = [
    {},
    { JWT_CLOCK_TOLERANCE_SECONDS: '5' },
    { JWT_AUDIENCE: 'hongbao', JWT_ISSUER: ISSUER },
  ];
  let readers: { fast: ReadTokenClaims; slow: () => ReadTokenClaims }[];

  /** Both read the same clock, or a second that begins between them would be a difference. */
  beforeAll(async () => {
    jest.useFakeTimers({ now: Date.now(), doNotFake: [...ALL_BUT_THE_DATE] });
    readers = await Promise.all(
      settings.map(async (own) => ({ fast: await experienced(own, headers), slow: () => readerFor(own) })),
    );
  });

  afterAll(() => jest.useRealTimers());

  async function expectSame(token: string): Promise<unknown[]> {
    const verdicts = [];
    for (const { fast, slow } of readers) {
      const verdict = await verdictOf(fast, token);
      expect(verdict).toEqual(await verdictOf(slow(), token));
      verdicts.push(verdict);
    }
    return verdicts;
  }

  it('a good one is good', async () => {
    const good = { ...CLAIMS, aud: 'hongbao', iss: ISSUER };
    expect(new Set(await expectSame(signed(good)))).toEqual(new Set([JSON.stringify(good)]));
  });

  it.each(Object.entries(MALFORMED))('with %s', async (what, token) => {
    const [verdict] = await expectSame(token);
    if (what !== 'more than a request can hold') expect(verdict).toMatchObject({ status: 401 });
  });

  it.each(Object.entries(HEADERS))('with a header that says: %s', (_, own) =>
    expectSame(signed(CLAIMS, own)),
  );

  it.each(Object.entries(PAYLOADS))('with a payload that holds: %s', (_, own) => expectSame(signed(own)));

  it('with every last letter of a signature', async () => {
    for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
      await expectSame(plain.slice(0, -1) + letter);
  });

  it('at every second around its times', async () => {
    for (const offset of OFFSETS)
      for (const claim of ['exp', 'nbf', 'iat'])
        for (const own of [{}, { aud: 'hongbao', iss: ISSUER }])
          await expectSame(signed({ ...CLAIMS, ...own, [claim]: inFuture(offset) }));
  });

  it('for whomever it is meant', async () => {
    const values = [
      'hongbao',
      'Hongbao',
      '',
      ISSUER,
      `${ISSUER}/`,
      1,
      null,
      ['hongbao'],
      ['x', 'hongbao'],
      [],
      [['hongbao']],
      {},
    ];
    for (const aud of values) for (const iss of values) await expectSame(signed({ ...CLAIMS, aud, iss }));
  });

  it('of any claims, signed or spoiled anyhow', async () => {
    const values = fc.oneof(
      fc.jsonValue(),
      fc.integer({ min: -10, max: 10 }).map(inFuture),
      fc.constant('hongbao'),
    );
    const claims = fc.record(
      {
        sub: values,
        role: values,
        exp: values,
        nbf: values,
        iat: values,
        aud: values,
        iss: fc.constant(ISSUER),
      },
      { requiredKeys: [] },
    );
    const payloads = fc.oneof(
      claims,
      claims.map((own) => ({ ...CLAIMS, ...own })),
      fc.json(),
      fc.string(),
    );
    const spoil = fc.option(
      fc.record({ at: fc.nat(400), by: fc.string({ unit: 'grapheme', maxLength: 2 }) }),
    );
    await fc.assert(
      fc.asyncProperty(payloads, fc.constantFrom(...headers), spoil, async (own, header, harm) => {
        const token = signed(own, header);
        await expectSame(harm ? token.slice(0, harm.at) + harm.by + token.slice(harm.at + 1) : token);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a digest under a prepared key', () => {
  it('is that of HMAC-SHA256, for every key and every text', () => {
    const keys = fc.uint8Array({ maxLength: 200 });
    const texts = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
    fc.assert(
      fc.property(keys, fc.array(texts, { maxLength: 4 }), (key, several) => {
        const digest = new KeyedDigest(Buffer.from(key), 300);
        for (const text of several)
          expect(digest.of(text)).toEqual(createHmac('sha256', key).update(text).digest());
      }),
    );
  });
});
