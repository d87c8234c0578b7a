import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { startPostgres } from '../../src/dev/engines';
import { freshRules } from '../../src/core/reconciliation/foundation';
import { dataSourceOptions, runMigrations } from '../../src/platform/postgres';
import { schema } from '../../src/schema';

const RULES = join('src', 'core', 'reconciliation', 'rules.json');

/** `npm run rules`: writes the file that invariant I14 compares every database with. Review its diff. */
async function writeRules(): Promise<void> {
  const postgres = await startPostgres({ localDir: process.env.LOCAL_DIR || '.local', durable: false });
  try {
    await runMigrations(postgres.url, schema);
    const options = dataSourceOptions({ databaseUrl: postgres.url, poolMax: 1, patient: true });
    const dataSource = await new DataSource(options).initialize();
    const rules = await freshRules(dataSource).finally(() => dataSource.destroy());
    writeFileSync(RULES, `${JSON.stringify(rules, undefined, 2)}\n`);
    console.log(`Wrote ${Object.keys(rules).length} rules to ${RULES}.`);
  } finally {
    await postgres.stop();
  }
}

writeRules().catch((error: unknown) => {
  console.error(`The rules were not written. ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
