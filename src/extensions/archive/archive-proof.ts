import type { AccountSums } from './account-sums';
import { type ArchiveHeader, ArchiveReader } from './archive-file';
import type { AuditRecord, AuditArchiveRepository } from './audit-archive.repository';
import type { ArchiveCounts, ArchiveRecord, ArchiveRepository } from './archive.repository';

interface Held {
  claims: number;
  creditedMinor: bigint;
}

/** The sums over all lines of a file. */
export interface Reading extends ArchiveCounts {
  readonly header: ArchiveHeader;
  readonly digest: Buffer;
  readonly activities: ReadonlyMap<string, Held>;
  /** The number of entries of the audit log. */
  readonly entries: string;
}

export interface Proof {
  readonly examined: number;
  readonly faults: readonly string[];
}

type Line = Readonly<Partial<Record<'entry' | 'packet' | 'claim' | 'credit' | 'letter', unknown>>> & {
  readonly activity: string;
  readonly amount: string;
};

/** @throws Error with one line when the file is not an archive, or cannot be read */
export async function readArchive(file: string): Promise<Reading> {
  const reader = new ArchiveReader(file);
  const sums = new Sums();
  let header: ArchiveHeader | undefined;
  for await (const lines of reader.lines())
    for (const text of lines)
      if (header === undefined) header = headerOf(file, text);
      else sums.add(JSON.parse(text) as Line);
  if (header === undefined) throw new Error(`${file} is not an archive: it is empty.`);
  return { header, digest: reader.digest(), ...sums.asText() };
}

class Sums {
  private readonly counts = { packets: 0, claims: 0, credits: 0, letters: 0, entries: 0 };
  private readonly activities = new Map<string, Held>();
  private creditedMinor = 0n;

  /** Credits and letters name their claim too, so `claim` is checked after them. */
  add(line: Line): void {
    if ('entry' in line) this.counts.entries += 1;
    else if ('letter' in line) this.counts.letters += 1;
    else if ('credit' in line) this.addCredit(line);
    else if ('claim' in line) this.addClaim(line);
    else this.counts.packets += 1;
  }

  asText(): Omit<Reading, 'header' | 'digest'> {
    const { packets, claims, credits, letters, entries } = this.counts;
    return {
      packets: String(packets),
      claims: String(claims),
      credits: String(credits),
      letters: String(letters),
      entries: String(entries),
      creditedMinor: String(this.creditedMinor),
      activities: this.activities,
    };
  }

  private addCredit({ activity, amount }: Line): void {
    this.counts.credits += 1;
    this.heldBy(activity).creditedMinor += BigInt(amount);
    this.creditedMinor += BigInt(amount);
  }

  private addClaim({ activity }: Line): void {
    this.counts.claims += 1;
    this.heldBy(activity).claims += 1;
  }

  private heldBy(activity: string): Held {
    const held = this.activities.get(activity) ?? { claims: 0, creditedMinor: 0n };
    this.activities.set(activity, held);
    return held;
  }
}

function headerOf(file: string, line: string): ArchiveHeader {
  const header = JSON.parse(line) as Partial<Record<string, unknown>>;
  const { format, firstActivityId, beyondActivityId, month } = header;
  const isOfActivities = isNumber(firstActivityId) && isNumber(beyondActivityId);
  if (format === 1 && (isOfActivities || isMonth(month))) return header as unknown as ArchiveHeader;
  throw new Error(`${file} is not an archive in a format that this release knows.`);
}

const isNumber = (value: unknown): boolean => typeof value === 'string' && /^\d+$/.test(value);
const isMonth = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-\d\d$/.test(value);

const OTHER_DIGEST = 'The digest of the lines differs.';

/** The differences, one line each. */
export function differences(reading: Reading, record: ArchiveRecord): string[] {
  const faults = (['packets', 'claims', 'credits', 'creditedMinor', 'letters'] as const)
    .filter((count) => reading[count] !== record[count])
    .map((count) => `${count} are ${reading[count]}, not ${record[count]}.`);
  return reading.digest.equals(record.digest) ? faults : [...faults, OTHER_DIGEST];
}

export function auditDifferences(reading: Reading, record: AuditRecord): string[] {
  const faults =
    reading.entries === record.entries ? [] : [`entries are ${reading.entries}, not ${record.entries}.`];
  return reading.digest.equals(record.digest) ? faults : [...faults, OTHER_DIGEST];
}

/**
 * Compares a file with its record, each of its activities with its seal, and its credits with the
 * sums that they left on accounts.
 * @throws what {@link readArchive} throws
 */
export async function proveArchive(
  archives: ArchiveRepository,
  audits: AuditArchiveRepository,
  file: string,
): Promise<Proof> {
  const reading = await readArchive(file);
  const { header, packets, claims, credits, letters, entries } = reading;
  const examined = [packets, claims, credits, letters, entries].reduce(
    (sum, count) => sum + Number(count),
    0,
  );
  if ('month' in header) {
    const record = await audits.findMonth(header.month);
    return { examined, faults: record === undefined ? [NO_RECORD] : auditDifferences(reading, record) };
  }
  const record = await archives.findArchive(header.firstActivityId);
  if (record === undefined) return { examined, faults: [NO_RECORD] };
  const unlike = await unlikeSeals(archives, reading, record);
  const sums = await unlikeSums(archives, file, record);
  return { examined, faults: [...differences(reading, record), ...unlike, ...sums] };
}

const NO_RECORD = 'There is no record of this file.';

async function unlikeSeals(
  archives: ArchiveRepository,
  { activities }: Reading,
  record: ArchiveRecord,
): Promise<string[]> {
  const held = [...activities];
  const unlike = await archives.unlikeSeals(
    record,
    held.map(([id]) => id),
    held.map(([, { claims }]) => claims),
    held.map(([, { creditedMinor }]) => String(creditedMinor)),
  );
  return unlike.map((id) => `Activity ${id} does not match its seal.`);
}

async function unlikeSums(
  archives: ArchiveRepository,
  file: string,
  { firstActivityId }: ArchiveRecord,
): Promise<string[]> {
  const sums = await archives.sums(firstActivityId);
  for await (const lines of new ArchiveReader(file).lines())
    for (const text of lines)
      if (text.startsWith('{"credit"'))
        sums.subtract(JSON.parse(text) as Parameters<AccountSums['subtract']>[0]);
  return sums.faults();
}
