import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveHeader, digestOf, type Lines, writeArchive } from './archive-file';
import { type Reading, readArchive } from './archive-proof';

export class ArchiveDirectory {
  constructor(
    private readonly path: string,
    private readonly report: (line: string) => void,
  ) {}

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true });
  }

  /**
   * Returns the digest of the lines. An earlier run may have written the same file.
   *
   * @throws Error with one line when a different file has its name: it may be another installation's
   *   only copy of its rows
   */
  async write(file: string, header: ArchiveHeader, lines: Lines): Promise<Buffer> {
    const path = join(this.path, file);
    if (existsSync(path)) return this.requireSame(path, await digestOf(header, lines));
    const digest = await writeArchive(path, header, lines);
    this.report(`Written: ${file}.`);
    return digest;
  }

  private async requireSame(path: string, digest: Buffer): Promise<Buffer> {
    const found = await readArchive(path).catch(() => undefined);
    if (found?.digest.equals(digest)) return digest;
    throw new Error(`${path} differs from these rows. Move it away, or set another ARCHIVE_DIR.`);
  }

  /**
   * Reads a file back. A missing file is written again while its rows still exist.
   *
   * @throws Error with one line when the file still differs from its record
   */
  async prove(
    file: string,
    faultsOf: (reading: Reading) => string[],
    writeAgain: () => Promise<unknown>,
  ): Promise<void> {
    if ((await this.faults(file, faultsOf)).length === 0) return;
    await writeAgain();
    const faults = await this.faults(file, faultsOf);
    if (faults.length > 0) throw new Error(`${file} is not what was recorded: ${faults.join(' ')}`);
  }

  private async faults(file: string, faultsOf: (reading: Reading) => string[]): Promise<string[]> {
    try {
      return faultsOf(await readArchive(join(this.path, file)));
    } catch (error) {
      return [String(error)];
    }
  }
}
