import { readFileSync } from 'node:fs';
import { checkPublicFiles } from './split/public-files';
import { isAddress, publishedAt } from './split/published';

/** `npm run verify:split -- ADDRESS… FILE…`: the exit code is 1 when something is refused. */
async function main(names: readonly string[]): Promise<void> {
  const texts: string[] = [];
  for (const name of names)
    texts.push(isAddress(name) ? await publishedAt(name) : readFileSync(name, 'utf8'));
  const lines = await checkPublicFiles(texts);
  lines.forEach((line) => console.log(line));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(`REFUSED ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
