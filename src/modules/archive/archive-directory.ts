import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveHeader, type Lines, writeArchive } from './archive-file';
import { type Reading, readArchive } from './archive-proof';

/** The directory of the archive's files. */
export class ArchiveDirectory {
  constructor(
    private readonly path: string,
    private readonly report: (line: string) => void,
  ) {}

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true });
  }

  /** Writes a file and returns the digest of its lines. */
  async write(file: string, header: ArchiveHeader, lines: Lines): Promise<Buffer> {
    const digest = await writeArchive(join(this.path, file), header, lines);
    this.report(`Written: ${file}.`);
    return digest;
  }

  /**
   * Reads a file back. A missing or damaged file is written again while its rows are there.
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
