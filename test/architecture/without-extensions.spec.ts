import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isOfExtensions } from '../harness/without-extensions';
import { foldersImportedBy } from './folders';
import { extensionNames, playRain, startWithout, takenWith } from './taking-out';

const LIST = join('src', 'extensions', 'index.ts');

const sources = (readdirSync('src', { recursive: true }) as string[])
  .map((file) => join('src', file))
  .filter((file) => /(?<!\.spec)\.ts$/.test(file) && file !== LIST)
  .map((file) => ({ file, imports: foldersImportedBy(file) }));

describe('an extension', () => {
  it.each(extensionNames)(
    'can be taken out with those that need it, because nothing else imports it: %s',
    (name) => {
      const taken = takenWith(name);
      const gone = taken.map((one) => join('extensions', one));
      const left = sources.filter(({ file }) => !isOfExtensions(file, taken));
      const torn = left.filter(({ imports }) => imports.some((to) => gone.includes(to)));
      expect(torn.map(({ file }) => file)).toEqual([]);
    },
  );
});

// The slow tests start the programs without each.
it('the core alone plays a rain from the deposit to the proof, with no extension at all', () =>
  startWithout(extensionNames, playRain));
