import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { readEnvironment } from '../../libs/environment';
import { extensions } from '../extensions';
import { Erasing, TapTracesAtFirstUse } from '../extensions/erasure';
import { loadConfig } from '../platform/config';
import { dataSourceOptions, poolOf } from '../platform/postgres';
import { invariants } from '../invariants';
import { schema } from '../schema';

/**
 * `npm run erasure`: forgets the people for whom two others have asked, as the tables' owner. With `--again LEDGER` it
 * forgets in a restored database whom the ledger has.
 */
async function erase(): Promise<void> {
  const { again } = parseArgs({ options: { again: { type: 'string' } } }).values;
  const environment = readEnvironment();
  const config = loadConfig(environment);
  const databaseUrl = environment.MIGRATION_DATABASE_URL || environment.DATABASE_URL!;
  const pool = await poolOf(dataSourceOptions({ databaseUrl, poolMax: 3, patient: true }));
  const dataSource = await pool.initialize();
  const traces = new TapTracesAtFirstUse(dataSource, config);
  try {
    const report = (line: string) => console.log(line);
    const forgetting = extensions.flatMap((extension) => extension.forgetting ?? []);
    const erasing = new Erasing(
      dataSource,
      config,
      { schema, forgetting, evidence: invariants.evidence, traces },
      report,
    );
    const done = await (again === undefined ? erasing.run() : erasing.again(again));
    report(done === 0 ? 'Nobody to forget now.' : `Forgotten: ${done}.`);
  } finally {
    traces.close();
    await dataSource.destroy();
  }
}

Logger.overrideLogger(['error', 'fatal']);
erase().catch((error: unknown) => {
  console.error(`Erasing failed. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
