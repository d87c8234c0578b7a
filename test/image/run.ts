import { parseArgs } from 'node:util';
import { testImage } from './image';
import { missingTools } from './tools';

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { version: { type: 'string', default: 'test' } } });
  const missing = missingTools();
  if (missing !== undefined) throw new Error(missing);
  return testImage({ version: values.version, localDir: process.env.LOCAL_DIR || '.local' });
}

main().then(
  (passed) => process.exit(passed ? 0 : 1),
  (error: NodeJS.ErrnoException) => {
    console.error(error.message);
    if (error.code?.startsWith('ERR_PARSE_ARGS')) console.error('Usage: npm run test:image -- --help');
    process.exit(1);
  },
);
