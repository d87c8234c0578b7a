import { parseArgs } from 'node:util';
import { exitAfter } from '../harness/exit-after';
import { testImage } from './image';
import { missingTools } from './tools';

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { version: { type: 'string', default: 'test' } } });
  const missing = missingTools();
  if (missing !== undefined) throw new Error(missing);
  return testImage({ version: values.version, localDir: process.env.LOCAL_DIR || '.local' });
}

exitAfter(main());
