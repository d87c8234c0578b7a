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

/** The first bytes of a WebP image, whose size is in its last ones. */
const webp = (kind: string, ...rest: number[]): string =>
  urlOf('webp', Buffer.concat([Buffer.from(`RIFF....WEBP${kind}....`, 'latin1'), Buffer.from(rest)]));

const urlOf = (type: string, bytes: Buffer): string =>
  `data:image/${type};base64,${bytes.toString('base64')}`;

const LOGOS = {
  PNG: png(512, 512),
  lossy: webp('VP8 ', 0, 0, 0, 0x9d, 0x01, 0x2a, 200, 0, 100, 0),
  lossless: webp('VP8L', 0x2f, 0xff, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0),
  extended: webp('VP8X', 0, 0, 0, 0, 0xff, 1, 0, 0xff, 1, 0),
};

describe('the look of an activity', () => {
  const path = (id: string, more = '') => `/v1/activities/${id}${more}`;
  const read = async (id: string, more = '') => (await rain.user('reader').get(path(id, more))).body;

  it('is set when it is created, shown to everybody, and copied with its terms', async () => {
    const id = await rain.createActivity({ sponsorId: 'acme', theme: THEME });
    expect(await read(id)).toMatchObject({ theme: THEME, logo: null });
    expect((await rain.user('acme').get(path(id, '/template'))).body.theme).toEqual(THEME);
    const plain = await rain.createActivity({ sponsorId: 'acme' });
    expect(await read(plain)).toMatchObject({ theme: null, logo: null });
  });

  it('is changed by its sponsor field by field, also after the end, and taken away by null', async () => {
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

  it('has no logo for the moment of the question alone: caches keep no problem', async () => {
    const answer = await fetch(rain.url + path(await rain.createActivity({ sponsorId: 'acme' }), '/logo'));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
  });

  it('leaves an entry in the audit log for each change, with a digest for the image', async () => {
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

  it('is changed by a user 200 times within 24 hours, and by staff as often as they like', async () => {
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

  it.each(Object.entries(LOGOS))('has a logo that anybody reads, and caches keep: %s', async (_, logo) => {
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
  ])('is refused with the wrong %s: %j', async (field, theme) => {
    const refused = { status: 400, body: { errors: [{ field }] } };
    const id = await rain.createActivity({ sponsorId: 'acme' });
    expect(await rain.user('acme').patch(path(id), { theme })).toMatchObject(refused);
    expect(await rain.operator().post('/v1/activities', { ...planOf(), theme })).toMatchObject(refused);
  });

  it.each([
    ['an address', 'https://acme.example/logo.png'],
    ['another type', 'data:image/svg+xml;base64,PHN2Zy8+'],
    ['a page that calls itself an image', urlOf('png', Buffer.from('<script>alert(1)</script>'.repeat(3)))],
    ['a type that it is not', LOGOS.PNG.replace('png', 'webp')],
    ['too many bytes', png(1, 1, 8 * 1024)],
    ['too many pixels', png(513, 1)],
    ['no pixels', png(1, 0)],
    ['too many pixels of another kind', webp('VP8X', 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0)],
    ['no text', 7],
  ])('is refused with a logo of %s', async (_, logo) => {
    const id = await rain.createActivity({ sponsorId: 'acme' });
    expect(await rain.user('acme').patch(path(id), { logo })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'logo' }] },
    });
  });

  it('cannot hold a term', async () => {
    const id = await rain.createActivity({ sponsorId: 'acme' });
    expect(await rain.user('acme').patch(path(id), { name: 'Another' })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'name' }] },
    });
  });
});
