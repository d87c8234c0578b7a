import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KnownCurrency } from '../../core/currency';
import { TRANSFER_KINDS } from '../../core/wallet';
import { codeOf } from '../../../test/harness/problems';
import { FORMATS, type Format, type Line, type Statement } from './statement';
import { digestsOf, isKnownVersion, textOf, TEXTS_VERSION } from './texts';

const CURRENCY = new KnownCurrency({ number: 0, code: 'CNY', kind: 'money', decimals: 2, name: 'Yuan' });

const statement = (textsVersion: number): Statement => ({
  ...{ accountId: '42', day: '2031-02-03', fromId: '16', toId: '99', movements: 2 * TRANSFER_KINDS.length },
  ...{ openingMinor: 2_000n, closingMinor: 1_290n, issuedAt: new Date('2031-02-04T00:00:00.001Z') },
  textsVersion,
});

/** Both signs of every kind, on the day, before it and after it. */
const LINES = TRANSFER_KINDS.flatMap((kind, i): Line[] =>
  [123_456n, -710n].map((amountMinor, j) => ({
    transferId: String(17 + 2 * i + j),
    kind,
    amountMinor,
    activityId: kind === 'deposit' || kind.startsWith('payout') ? null : '7',
    payoutId: kind.startsWith('payout') ? '8' : null,
    at: new Date(`2031-02-0${[3, 2, 4][(2 * i + j) % 3]}T12:34:56.789Z`),
  })),
);

async function* pages(): AsyncGenerator<readonly Line[]> {
  await Promise.resolve();
  yield LINES.slice(0, 3);
  yield LINES.slice(3);
}

async function textOfVersion(format: Format, version: number): Promise<string> {
  let text = '';
  for await (const chunk of textOf(format, statement(version), CURRENCY, pages())) text += chunk;
  return text;
}

const fileOf = (format: Format, version: number): string =>
  join(__dirname, 'golden', `${version}-${format}.txt`);

const VERSIONS = Array.from({ length: TEXTS_VERSION }, (_, i) => i + 1);

/** With UPDATE=1 the files of a new version are written; one that is there is never written over. */
describe('the texts of a statement', () => {
  it.each(VERSIONS.flatMap((version) => FORMATS.map((format) => [version, format] as const)))(
    'of version %i, as %s, are the same bytes in every release',
    async (version, format) => {
      const file = fileOf(format, version);
      const text = await textOfVersion(format, version);
      if (process.env.UPDATE && !existsSync(file)) writeFileSync(file, text);
      expect(text).toBe(readFileSync(file, 'utf8'));
    },
  );

  it('are written by every version up to the present one, and by none after it', async () => {
    expect(VERSIONS.every((textsVersion) => isKnownVersion(statement(textsVersion)))).toBe(true);
    const next = statement(TEXTS_VERSION + 1);
    expect([isKnownVersion(next), existsSync(fileOf('json', TEXTS_VERSION + 1))]).toEqual([false, false]);
    expect(await codeOf(digestsOf(next, CURRENCY, pages()))).toBe('unavailable');
  });
});
