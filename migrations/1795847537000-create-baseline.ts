import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import type { Migration } from '../src/platform/postgres';

/** Files of `baseline`, each after those that it refers to. */
const CORE = ['platform', 'wallet', 'activity', 'claim', 'proof', 'audit'];

/** The tables of extensions, to which no file of the core refers. */
const EXTENSIONS = ['approval', 'ticket', 'payout', 'webhook', 'claim-log', 'archive'];

/** Makes the schema with which every database begins. Later migrations change it. */
export class CreateBaseline1795847537000 implements Migration {
  readonly serves = CreateBaseline1795847537000.name;

  async up(runner: QueryRunner): Promise<void> {
    for (const file of [...CORE, ...EXTENSIONS])
      await runner.query(readFileSync(join(__dirname, 'baseline', `${file}.sql`), 'utf8'));
  }
}
