import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** True for files of these extensions, and for commands named after them. */
export function isOfExtensions(file: string, names: readonly string[]): boolean {
  const [, extension] = /\bsrc\/extensions\/([^/.]+)(?:\/|$)/.exec(file) ?? [];
  const [, command] = /\bsrc\/commands\/([^/.]+)\.ts$/.exec(file) ?? [];
  return names.some((name) => name === extension || name === command);
}

/** Returns the text of src/extensions/index.ts without the lines of these extensions. */
export const listWithout = (list: string, names: readonly string[]): string =>
  names.reduce(
    (text, name) => withoutLines(text, `import { (\\w+) } from '\\./${name}/extension';`, (one) => `${one},`),
    list,
  );

/** @param load matches the line that loads an extension, and captures its variable */
function withoutLines(list: string, load: string, itemOf: (variable: string) => string): string {
  const line = new RegExp(`^ *${load}\n`, 'm');
  const found = line.exec(list);
  if (!found) throw new Error(`The list has no line ${load}`);
  return list.replace(line, '').replace(new RegExp(`^ +${itemOf(found[1]!)}?\n`, 'm'), '');
}

export interface Remainder {
  readonly dist: string;
  readonly discard: () => void;
}

/**
 * Makes programs without some extensions from the built ones; `npm test` builds before it runs. The
 * bundle has each module as a function, and a module of an extension that was taken out throws when called.
 */
export function takeOut(names: readonly string[]): Remainder {
  const dist = mkdtempSync(join(resolve('dist'), 'without-'));
  const isData = (file: string) => !/\.(?:js|map|compiled)$/.test(file);
  for (const part of ['src', 'libs', 'migrations', 'package.json'])
    cpSync(resolve('dist', part), join(dist, part), { recursive: true, filter: isData });
  for (const program of ['start.js', 'node-floor.js', 'main.js', 'worker.js', 'commands', 'web'])
    cpSync(resolve('dist', program), join(dist, program), { recursive: true });
  const bundle = readFileSync(resolve('dist', 'programs.js'), 'utf8');
  writeFileSync(join(dist, 'programs.js'), bundleWithout(bundle, names));
  return { dist, discard: () => rmSync(dist, { recursive: true, force: true }) };
}

function bundleWithout(bundle: string, names: readonly string[]): string {
  const [before, after] = bundle.split('  "dist/src/extensions/index.js"(', 2) as [string, string];
  const end = after.indexOf('\n});');
  const list = names.reduce(
    (text, name) => {
      const [, load] = new RegExp(
        `^var (\\w+) = __commonJS\\(\\{\n  "dist/src/extensions/${name}/extension\\.js"`,
        'm',
      ).exec(bundle)!;
      return withoutLines(text, `var (\\w+) = ${load}\\(\\);`, (one) => `${one}\\.\\w+,`);
    },
    after.slice(0, end),
  );
  const body = new RegExp(`^  "dist/src/extensions/(${names.join('|')})/[^"]+"\\([^)]*\\) \\{$`, 'gm');
  return [before, '  "dist/src/extensions/index.js"(', list, after.slice(end)]
    .join('')
    .replaceAll(body, '$&\nthrow new Error("The extension $1 was taken out.");');
}
