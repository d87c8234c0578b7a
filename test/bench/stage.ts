import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { type Engine, startPostgres, startRedis } from '../../src/dev/engines';
import { dataSourceOptions, runMigrations } from '../../src/platform/postgres';
import { schema } from '../../src/schema';
import { Progress } from '../../src/dev/local/progress';
import { type Figures, interleave, type Variant } from './measure';

export type AppendFsync = 'off' | 'everysec' | 'always';

/** The amount of work. A tiny run goes the whole way once, and measures nothing. */
export type Size = 'full' | 'quick' | 'tiny';

const localDir = process.env.LOCAL_DIR || '.local';

const POOL_MAX = 8;

/** The environment of a bench: its own engines, which end with it. Benches share nothing. */
export class Stage {
  readonly directory = mkdtempSync(join(tmpdir(), 'hongbao-bench-'));
  private readonly ends: (() => Promise<unknown>)[] = [];
  private dirs = 0;

  constructor(
    readonly size: Size,
    private readonly name: string,
  ) {}

  pick<T>(full: T, quick: T, tiny: T): T {
    return { full, quick, tiny }[this.size];
  }

  progress(total: number): Progress {
    return new Progress(this.name, total);
  }

  async interleave(variants: readonly Variant[], rounds: number): Promise<Figures> {
    const progress = this.progress(variants.length * (rounds + 1));
    const figures = await interleave(variants, rounds, () => progress.advance());
    progress.end();
    return figures;
  }

  /** The callbacks run in reverse order at the end of the bench, whether it succeeded or not. */
  atEnd(end: () => Promise<unknown>): void {
    this.ends.push(end);
  }

  async redis(fsync: AppendFsync = 'everysec'): Promise<Engine> {
    const engine = await startRedis({ localDir, dataDir: this.newDir('redis'), appendOnly: fsync !== 'off' });
    this.atEnd(() => engine.stop());
    if (fsync !== 'off') {
      const client = await this.client(engine);
      await client.config('SET', 'appendfsync', fsync);
    }
    return engine;
  }

  async client(engine: Engine): Promise<Redis> {
    const client = new Redis(engine.url, { lazyConnect: true });
    await client.connect();
    this.atEnd(async () => client.disconnect());
    return client;
  }

  /** Durable, with the memory that `npm start` gives it. */
  async postgres(): Promise<Engine> {
    const engine = await startPostgres({ localDir, dataDir: this.newDir('postgres'), alone: true });
    this.atEnd(() => engine.stop());
    return engine;
  }

  /** A connection pool on the schema of the product, which it creates. */
  async dataSource(engine: Engine): Promise<DataSource> {
    await runMigrations(engine.url, schema);
    const options = dataSourceOptions({ databaseUrl: engine.url, poolMax: POOL_MAX, patient: true });
    const dataSource = await new DataSource(options).initialize();
    this.atEnd(() => dataSource.destroy());
    return dataSource;
  }

  newDir(what: string): string {
    return join(this.directory, `${what}-${++this.dirs}`);
  }

  async end(): Promise<void> {
    for (const end of this.ends.reverse()) await end().catch(() => undefined);
    rmSync(this.directory, { recursive: true, force: true });
  }
}
