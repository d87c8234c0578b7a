import { readFileSync } from 'node:fs';
import { checkPublicFiles } from './split/public-files';

/** `npm run verify:split -- FILE…`: the exit code is 1 when something is refused. */
async function main(files: readonly string[]): Promise<void> {
  const lines = await checkPublicFiles(files.map((file) => readFileSync(file, 'utf8')));
  lines.forEach((line) => console.log(line));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`REFUSED ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
