import { deflateSync } from 'node:zlib';
import { planOf } from '../harness/installation';
import { rain } from '../harness/shared-installation';

const COLORS = { background: '#b3001b', foreground: '#ffffff', accent: '#ffd700' };
const THEME = { sender: 'Acme', greeting: 'Happy New Year!', colors: COLORS };

/** A PNG of one colour, as far as the API reads it: its header, and then its length. */
function png(width: number, height: number, more = 0): string {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return urlOf('png', Buffer.concat([header, size, deflateSync(''), Buffer.alloc(more + 8)]));
}

/** A WebP image of these chunks. */
function webp(...chunks: Buffer[]): string {
  const image = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  return urlOf('webp', Buffer.concat([Buffer.from('RIFF'), lengthOf(image), image]));
}

function chunk(type: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), lengthOf(data), data, Buffer.alloc(data.length % 2)]);
}

function lengthOf(data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return length;
}

const lossy = (width: number, height: number): Buffer =>
  chunk('VP8 ', Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a, width & 255, width >> 8, height & 255, height >> 8]));

function lossless(width: number, height: number): Buffer {
  const data = Buffer.alloc(11, 0x2f);
  data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1);
  return chunk('VP8L', data);
}

function canvas(width: number, height: number): Buffer {
  const data = Buffer.alloc(10);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return chunk('VP8X', data);
}

/** A frame of an animation, at twice this place. */
function frame([x, y]: [number, number], [width, height]: [number, number], picture: Buffer): Buffer {
  const head = Buffer.alloc(16);
  for (const [i, value] of [x, y, width - 1, height - 1].entries()) head.writeUIntLE(value, 3 * i, 3);
  return chunk('ANMF', Buffer.concat([head, picture]));
}

/** A PNG of 16 × 16 with a frame of another size. */
function animatedPng(...[width, height, x, y]: [number, number, number, number]): string {
  const data = Buffer.alloc(26);
  for (const [i, value] of [width, height, x, y].entries()) data.writeUInt32BE(value, 4 + 4 * i);
  const head = Buffer.from(png(16, 16).split(',')[1]!, 'base64').subarray(0, 33);
  return urlOf(
    'png',
    Buffer.concat([head, Buffer.from([0, 0, 0, 26]), Buffer.from('fcTL'), data, Buffer.alloc(4)]),
  );
}

const urlOf = (type: string, bytes: Buffer): string =>
  `data:image/${type};base64,${bytes.toString('base64')}`;

const LOGOS = {
  PNG: png(512, 512),
  lossy: webp(lossy(200, 100)),
  lossless: webp(lossless(512, 256)),
  extended: webp(canvas(512, 512), lossy(512, 512)),
  animated: webp(canvas(64, 64), frame([16, 16], [32, 32], lossless(32, 32))),
  'animated PNG': animatedPng(8, 8, 8, 8),
};

describe('the look of an activity', () => {
  const path = (id: string, more = '') => `/v1/activities/${id}${more}`;
  const read = async (id: string, more = '') => (await rain.user('reader').get(path(id, more))).body;

  it('is set at creation, shown to everyone, and copied with its terms', async () => {
    const id = await rain.createActivity({ sponsorId: 'acme', theme: THEME });
    expect(await read(id)).toMatchObject({ theme: THEME, logo: null });
    expect((await rain.user('acme').get(path(id, '/template'))).body.theme).toEqual(THEME);
    const plain = await rain.createActivity({ sponsorId: 'acme' });
    expect(await read(plain)).toMatchObject({ theme: null, logo: null });
  });

  it('is changed by its sponsor field by field, even after the end, and removed by null', async () => {
    const id = await rain.createActivity({ sponsorId: 'acme' });
    const change = (body: object) => rain.user('acme').patch(path(id), body);
    const logo = path(id, '/logo');
    expect(await change({ theme: THEME })).toMatchObject({ status: 200, body: { theme: THEME, logo: null } });
    await rain.user('acme').post(path(id, '/close'));
    expect(await change({ logo: LOGOS.PNG })).toMatchObject({ status: 200, body: { theme: THEME, logo } });
    expect(await change({ theme: null })).toMatchObject({ status: 200, body: { theme: null, logo } });
    expect(await change({ logo: null })).toMatchObject({ status: 200, body: { theme: null, logo: null } });
    expect((await fetch(rain.url + logo)).status).toBe(404);
  });

  it('may get a logo later: caches do not keep the 404', async () => {
    const answer = await fetch(rain.url + path(await rain.createActivity({ sponsorId: 'acme' }), '/logo'));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  it('leaves an entry in the audit log for each change, with a digest of the image', async () => {
    const id = await rain.createActivity({ sponsorId: 'acme' });
    for (const body of [{ theme: THEME }, { theme: THEME }, { logo: LOGOS.PNG }, { logo: LOGOS.PNG }, {}])
      await rain.user('acme').patch(path(id), body);
    const { items } = (await rain.operator().get(`/v1/audit-log?subject=activity:${id}`)).body as {
      items: { action: string; after: object }[];
    };
    const changes = items.filter(({ action }) => action === 'activity.look').map(({ after }) => after);
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    expect(changes).toEqual([
      { theme: THEME, logo: digest },
      { theme: THEME, logo: null },
    ]);
  });

  it('can be changed by a user 200 times within 24 hours, and by staff as often as they like', async () => {
    const id = await rain.createActivity({ sponsorId: 'fickle' });
    const change = (who: ReturnType<typeof rain.user>, sender: string) =>
      who.patch(path(id), { theme: { sender } });
    await rain.sql(
      `insert into audit_log (actor_id, action, subject, at)
       select 'fickle', 'activity.look', 'activity:' || $1, now() - at from unnest($2::interval[]) as at`,
      [id, ['25 hours', ...Array<string>(199).fill('1 hour')]],
    );
    expect((await change(rain.user('fickle'), 'One')).status).toBe(200);
    expect(await change(rain.user('fickle'), 'Two')).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
    });
    expect((await change(rain.user('fickle'), 'One')).status).toBe(200);
    expect((await change(rain.operator(), 'Two')).status).toBe(200);
  });

  it.each(Object.entries(LOGOS))('has a logo that anyone may read and caches keep: %s', async (_, logo) => {
    const id = await rain.createActivity({ sponsorId: 'acme' });
    expect((await rain.user('acme').patch(path(id), { logo })).status).toBe(200);
    const answer = await fetch(rain.url + path(id, '/logo'));
    const [, type, text] = /^data:(.*);base64,(.*)$/.exec(logo)!;
    expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(text);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['theme.sender', { sender: 'x'.repeat(41) }],
    ['theme.greeting', { greeting: ' ' }],
    ['theme.css', { css: 'body{}' }],
    ['theme.colors.accent', { colors: { background: '#000000', foreground: '#ffffff' } }],
    ['theme.colors.background', { colors: { ...COLORS, background: 'red' } }],
    ['theme.colors.background', { colors: { ...COLORS, background: '#fff;}' } }],
    ['theme.colors.foreground', { colors: { ...COLORS, foreground: '#777777' } }],
    ['theme.colors.accent', { colors: { ...COLORS, accent: '#e7303c' } }],
  ])('is refused with an invalid %s: %j', async (field, theme) => {
    const refused = { status: 400, body: { errors: [{ field }] } };
    const id = await rain.createActivity({ sponsorId: 'acme' });
    expect(await rain.user('acme').patch(path(id), { theme })).toMatchObject(refused);
    expect(await rain.operator().post('/v1/activities', { ...planOf(), theme })).toMatchObject(refused);
  });

  it.each([
    ['an address', 'https://acme.example/logo.png'],
    ['another type', 'data:image/svg+xml;base64,PHN2Zy8+'],
    ['a page that calls itself an image', urlOf('png', Buffer.from('<script>alert(1)</script>'.repeat(3)))],
    ['a type other than its own', LOGOS.PNG.replace('png', 'webp')],
    ['too many bytes', png(1, 1, 8 * 1024)],
    ['too many pixels', png(513, 1)],
    ['no pixels', png(1, 0)],
    ['too many pixels of WebP', webp(canvas(65_536, 1), lossy(1, 1))],
    ['a lossy frame larger than its canvas', webp(canvas(16, 16), lossy(16_383, 16_383))],
    ['a lossless frame larger than its canvas', webp(canvas(16, 16), lossless(16_384, 16_384))],
    ['a second frame larger than the first', webp(lossy(16, 16), lossless(16_384, 16_384))],
    ['a frame that leaves its canvas', webp(canvas(16, 16), frame([1, 0], [16, 16], lossy(16, 16)))],
    [
      'a frame with a picture larger than itself',
      webp(canvas(16, 16), frame([0, 0], [16, 16], lossless(16_384, 1))),
    ],
    ['a frame of an animated PNG larger than its canvas', animatedPng(30_000, 30_000, 0, 0)],
    ['a frame of an animated PNG that leaves its canvas', animatedPng(16, 16, 1, 0)],
    ['a canvas without a frame', webp(canvas(16, 16))],
    ['a chunk that is cut off', webp(canvas(16, 16), lossy(16, 16).subarray(0, 12))],
    ['a number', 7],
  ])('is refused with an invalid logo: %s', async (_, logo) => {
    const id = await rain.createActivity({ sponsorId: 'acme' });
    expect(await rain.user('acme').patch(path(id), { logo })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'logo' }] },
    });
  });

  it('cannot contain a term of the activity', async () => {
    const id = await rain.createActivity({ sponsorId: 'acme' });
    expect(await rain.user('acme').patch(path(id), { name: 'Another' })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'name' }] },
    });
  });
});
