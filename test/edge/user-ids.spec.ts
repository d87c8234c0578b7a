import fc from 'fast-check';
import type { AddressInfo } from 'node:net';
import { USER_ID_RULE } from '../../libs/user-id';
import { exactRequest } from '../harness/exact-request';
import { AWKWARD_USER_IDS, userId } from '../harness/user-ids';
import { app, bearer, shareEdge } from './edge-app';

/** Encodes every character as `%` and two digits, as a client may. */
const fullyEncoded = (id: string, digits: (hex: string) => string = (hex) => hex): string =>
  Array.from(id, (character) => `%${digits(character.charCodeAt(0).toString(16))}`).join('');

const upper = (hex: string): string => hex.toUpperCase();

const PSEUDONYM = `erased-${'0a'.repeat(16)}`;

describe('a user id', () => {
  let url: string;

  shareEdge();

  beforeAll(async () => {
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });

  const ask = (path: string, headers: Record<string, string> = bearer()) =>
    exactRequest(url, path, { headers });
  const walletOf = (inPath: string) => ask(`/sample/wallets/${inPath}`);

  it.each(AWKWARD_USER_IDS)(
    'may be %j, unencoded in a token and in Act-For, and percent-encoded in a path',
    async (id) => {
      expect(await ask('/sample/me', bearer(id))).toEqual({
        status: 200,
        body: { userId: id, role: 'user' },
      });
      expect(await ask('/sample/me', { ...bearer('shop', 'server'), 'act-for': id })).toEqual({
        status: 200,
        body: { userId: id, role: 'user', via: 'shop' },
      });
      expect(await walletOf(encodeURIComponent(id))).toEqual({ status: 200, body: { ownerId: id } });
    },
  );

  it('is read from a path unchanged, however many of its characters are encoded', () =>
    fc.assert(
      fc.asyncProperty(userId, async (id) => {
        for (const inPath of [encodeURIComponent(id), fullyEncoded(id), fullyEncoded(id, upper)])
          expect(await walletOf(inPath)).toEqual({ status: 200, body: { ownerId: id } });
      }),
    ));

  it.each([
    ['a space', '%20'],
    ['a plus, which stands for itself in a path, and a space', '+%20'],
    ['a line feed', 'u%0a'],
    ['a NUL', 'u%00'],
    ['a letter beyond ASCII', '%C3%BC'],
    ['129 characters', 'u'.repeat(129)],
    ['a step of the path', '.'],
    ['an encoded step of the path', '%2e%2E'],
    ['129 encoded characters', '%2f'.repeat(129)],
    ['a pseudonym', PSEUDONYM],
    ['an encoded pseudonym', `%65${PSEUDONYM.slice(1)}`],
  ])('cannot be %s, and the refusal of a path names its parameter', async (_, inPath) => {
    expect(await walletOf(inPath)).toMatchObject({
      status: 400,
      body: {
        code: 'request.invalid',
        errors: [{ field: 'ownerId', rule: 'form', expected: 'user-id', message: USER_ID_RULE }],
      },
    });
  });

  it('cannot be a pseudonym in a token or in Act-For', async () => {
    expect(await ask('/sample/me', bearer(PSEUDONYM))).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('pseudonym') },
    });
    expect(await ask('/sample/me', bearer(PSEUDONYM, 'server'))).toMatchObject({ status: 401 });
    expect(await ask('/sample/me', { ...bearer('shop', 'server'), 'act-for': PSEUDONYM })).toMatchObject({
      status: 400,
      body: {
        errors: [{ field: 'Act-For', expected: 'user-id', message: expect.stringContaining('pseudonym') }],
      },
    });
  });

  it.each(['%', '%zz', 'u%', '%ff', '%C3'])('cannot be encoded as %j', async (inPath) => {
    expect(await walletOf(inPath)).toMatchObject({ status: 400, body: { code: 'request.malformed' } });
  });

  it('is cut off in a path where its special characters are not encoded', async () => {
    for (const asQuery of ['a?b', 'a#b'])
      expect((await walletOf(asQuery)).body).toMatchObject({ errors: [{ field: 'b' }] });
    expect((await walletOf('a/b')).status).toBe(404);
    expect((await walletOf('')).status).toBe(404);
  });
});
