import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import type { ClaimInFile, Forgotten } from '../extension';
import { type ArchiveHeader, ArchiveReader, writeArchive } from './archive-file';
import { recordRevision } from './file-revisions';

interface ArchivedFile {
  readonly file: string;
  readonly digest: Buffer;
  readonly isFinished: boolean;
}

/** Files of archives, complete or partial. */
const FILE = /^((?:activities-\d+-\d+|audit-\d{4}-\d\d)\.ndjson\.gz)(\.anew)?(\.partial)?$/;

/**
 * Writes pseudonyms to the files of the archive, and records the digest of each before and after. A rewritten
 * file is complete on disk before its digest is recorded, and takes its name after that: a later run that finds
 * a rewritten file with the recorded digest puts it in place.
 *
 * @throws Error with one line if a file is missing or is not what was recorded, or an archive is not finished
 */
export async function forgetInFiles(forgotten: Forgotten): Promise<ClaimInFile[]> {
  const { ARCHIVE_DIR: directory } = forgotten.config;
  const recorded = await archivedFiles(forgotten.dataSource);
  if (directory === undefined) {
    if (recorded.length === 0 || forgotten.pseudonyms.size === 0) return [];
    throw new Error(
      'Set ARCHIVE_DIR to the directory of the archive, whose files may contain ids of people.',
    );
  }
  const files = recorded.map((file) => new FileOfArchive(forgotten, directory, file));
  for (const file of files) await file.finishFormerRun();
  if (forgotten.pseudonyms.size === 0) return [];
  if (recorded.some(({ isFinished }) => !isFinished))
    throw new Error('An archive is not finished: run npm run archive first.');
  const names = new Set(recorded.map(({ file }) => file));
  await removeRemains(directory, (name) => forgotten.isRestored || names.has(name));
  const claims: ClaimInFile[] = [];
  for (const file of files) claims.push(...(await file.forget()));
  return claims;
}

/**
 * Removes what killed runs have partly written, which contains ids, too. The rows of a file without a record are
 * still in the database.
 */
async function removeRemains(directory: string, isKnown: (name: string) => boolean): Promise<void> {
  for (const entry of existsSync(directory) ? await readdir(directory) : []) {
    const [, name, anew, partial] = FILE.exec(entry) ?? [];
    if (name === undefined) continue;
    if (anew ?? partial) await rm(join(directory, entry));
    else if (!isKnown(name))
      throw new Error(
        `${name} is in ARCHIVE_DIR without a record: run npm run archive first, or move it away.`,
      );
  }
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
  readonly claims: readonly ClaimInFile[];
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

  /** A rewritten file either has the recorded digest, or its digest was never recorded. */
  async finishFormerRun(): Promise<void> {
    if (!existsSync(this.anew)) return;
    const digest = await digestOfFile(this.anew).catch(() => undefined);
    if (digest?.equals(this.recorded.digest)) await rename(this.anew, this.path);
  }

  async forget(): Promise<readonly ClaimInFile[]> {
    const { file, digest } = this.recorded;
    const contents = await this.read();
    if (!contents.digest.equals(digest)) throw new Error(`${file} is not what was recorded.`);
    if (!contents.hasChanges) return contents.claims;
    const after = await writeArchive(this.anew, contents.header, this.renamedLines());
    await this.forgotten.dataSource.transaction((tx) => recordRevision(tx, file, digest, after));
    await rename(this.anew, this.path);
    this.forgotten.report(`Rewritten: ${file}.`);
    return contents.claims;
  }

  private async read(): Promise<Contents> {
    const reader = new ArchiveReader(this.path);
    const claims: ClaimInFile[] = [];
    let header: ArchiveHeader | undefined;
    let hasChanges = false;
    for await (const lines of reader.lines())
      for (const line of lines) {
        const value = JSON.parse(line) as object;
        if (header === undefined) header = value as ArchiveHeader;
        else {
          const renamed = this.forgotten.renamed(value);
          hasChanges ||= renamed !== value;
          claims.push(...this.claimOf(renamed));
        }
      }
    if (header === undefined) throw new Error(`${this.recorded.file} is empty.`);
    return { header, digest: reader.digest(), claims, hasChanges };
  }

  /** An earlier run may have written it. Only the claim has a packet; its credit and letter name it as well. */
  private claimOf(line: object): ClaimInFile[] {
    if (!('user' in line && 'claim' in line && 'packet' in line && 'activity' in line)) return [];
    const { user, activity, packet } = line;
    return this.forgotten.pseudonyms.has(String(user))
      ? [{ pseudonym: String(user), activityId: String(activity), packetNo: Number(packet) }]
      : [];
  }

  /** Unchanged lines stay the same, byte for byte. */
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
