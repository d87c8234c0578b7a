import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { withSessionLock } from '../../platform/postgres';
import type { Forgetting, Forgotten, ForgottenClaim } from '../extension';
import { type ArchiveHeader, ArchiveReader, writeArchive } from './archive-file';
import { recordRevision } from './file-revisions';
import { ARCHIVE_LOCK, refuseSecondRun } from './archive-lock';

interface ArchivedFile {
  readonly file: string;
  readonly digest: Buffer;
  readonly isFinished: boolean;
}

type OnClaims = Parameters<NonNullable<Forgetting['forgetInFiles']>>[1];

/**
 * Writes pseudonyms to the files of the archive, and records the digest of each before and after. A file that is
 * written anew is complete on the disk before its digest is recorded, and takes its name after that: a run that
 * finds the recorded one beside it puts it in its place.
 *
 * @throws Error with one line if a file is missing or is not what was recorded
 */
export async function forgetInFiles(forgotten: Forgotten, onClaims: OnClaims): Promise<void> {
  const { dataSource, config } = forgotten;
  await withSessionLock(dataSource, ARCHIVE_LOCK, refuseSecondRun, async () => {
    const files = await archivedFiles(dataSource);
    if (files.length === 0) return;
    if (config.ARCHIVE_DIR === undefined)
      throw new Error('Set ARCHIVE_DIR to the directory of the archive, whose files may have ids of people.');
    if (files.some(({ isFinished }) => !isFinished))
      throw new Error('An archive is not finished: run npm run archive first.');
    for (const file of files) await new FileOfArchive(forgotten, config.ARCHIVE_DIR, file).forget(onClaims);
  });
}

const archivedFiles = (dataSource: DataSource): Promise<ArchivedFile[]> =>
  dataSource.query(
    `select file, digest, dropped_at is not null as "isFinished" from archive
     union all
     select file, digest, removed_at is not null from audit_archive order by file`,
  );

interface Contents {
  readonly header: ArchiveHeader;
  readonly digest: Buffer;
  readonly claims: readonly ForgottenClaim[];
  readonly hasChanges: boolean;
}

class FileOfArchive {
  private readonly path: string;
  private readonly anew: string;

  constructor(
    private readonly forgotten: Forgotten,
    directory: string,
    private readonly recorded: ArchivedFile,
  ) {
    this.path = join(directory, recorded.file);
    this.anew = `${this.path}.anew`;
  }

  async forget(onClaims: OnClaims): Promise<void> {
    const { file, digest } = this.recorded;
    await this.finishFormerRun();
    const contents = await this.read();
    if (!contents.digest.equals(digest)) throw new Error(`${file} is not what was recorded.`);
    if (!contents.hasChanges)
      return this.forgotten.dataSource.transaction((tx) => onClaims(tx, contents.claims));
    const after = await writeArchive(this.anew, contents.header, this.renamedLines());
    await this.forgotten.dataSource.transaction(async (tx) => {
      await onClaims(tx, contents.claims);
      await recordRevision(tx, file, digest, after);
    });
    await rename(this.anew, this.path);
    this.forgotten.report(`Written anew: ${file}.`);
  }

  private async finishFormerRun(): Promise<void> {
    if (!existsSync(this.anew)) return;
    const digest = await digestOfFile(this.anew).catch(() => undefined);
    if (digest?.equals(this.recorded.digest)) await rename(this.anew, this.path);
  }

  private async read(): Promise<Contents> {
    const reader = new ArchiveReader(this.path);
    const claims: ForgottenClaim[] = [];
    let header: ArchiveHeader | undefined;
    let hasChanges = false;
    for await (const lines of reader.lines())
      for (const line of lines) {
        const value = JSON.parse(line) as object;
        if (header === undefined) header = value as ArchiveHeader;
        else {
          const isChanged = this.forgotten.renamed(value) !== value;
          hasChanges ||= isChanged;
          if (isChanged || this.isOfPseudonym(value)) claims.push(...claimOf(value));
        }
      }
    if (header === undefined) throw new Error(`${this.recorded.file} is empty.`);
    return { header, digest: reader.digest(), claims, hasChanges };
  }

  /** The file was written anew before, but what a restored database keeps of the claim was not deleted. */
  private isOfPseudonym(line: object): boolean {
    return 'user' in line && this.forgotten.pseudonyms.has(String(line.user));
  }

  /** Lines without a change stay byte for byte. */
  private async *renamedLines(): AsyncGenerator<readonly string[]> {
    let isFirst = true;
    for await (const lines of new ArchiveReader(this.path).lines()) {
      const rows = isFirst ? lines.slice(1) : lines;
      if (lines.length > 0) isFirst = false;
      yield rows.map((line) => {
        const value = JSON.parse(line) as object;
        const renamed = this.forgotten.renamed(value);
        return renamed === value ? line : JSON.stringify(renamed);
      });
    }
  }
}

async function digestOfFile(path: string): Promise<Buffer> {
  const reader = new ArchiveReader(path);
  for await (const lines of reader.lines()) void lines;
  return reader.digest();
}

/** A claim has a packet; the credit and the letter of a claim name it, too. */
const claimOf = (line: object): ForgottenClaim[] =>
  'claim' in line && 'packet' in line && 'activity' in line
    ? [{ activityId: String(line.activity), packetNo: Number(line.packet) }]
    : [];
