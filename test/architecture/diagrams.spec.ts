import { readFileSync, writeFileSync } from 'node:fs';
import { foldersOf, importedBy, type Layer, LAYERS } from './folders';

const PAGE = 'docs/architecture.md';
const DIAGRAM = /(?<=^```mermaid\n)flowchart [\s\S]*?(?=```$)/gm;

/** Any extension may use the core, so only the arrows within a layer are drawn. */
function diagramOf(layer: Layer): string {
  const folders = foldersOf(layer);
  const targets = folders.map((folder) =>
    importedBy(folder).flatMap((to) => (to.layer === layer ? [to.name] : [])),
  );
  const drawn = new Set(targets.flat());
  const lines = folders.flatMap(({ name }, i) => {
    if (targets[i]!.length > 0) return [`${name} --> ${targets[i]!.join(' & ')}`];
    return drawn.has(name) ? [] : [name];
  });
  return ['flowchart LR', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

const diagrams = LAYERS.map(diagramOf);

if (process.env.UPDATE) {
  const next = diagrams.values();
  const updated = readFileSync(PAGE, 'utf8').replace(DIAGRAM, () => next.next().value!);
  writeFileSync(PAGE, updated);
}

const page = readFileSync(PAGE, 'utf8');
const sectionOf = (heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

describe(PAGE, () => {
  it('draws exactly the arrows that the imports between the folders make (UPDATE=1 writes them)', () => {
    expect(page.match(DIAGRAM)?.join('')).toBe(diagrams.join(''));
  });

  it.each([
    ['Modules', 'core'],
    ['Extensions', 'extensions'],
  ] as const)('has under %s exactly one row for each folder of src/%s', (heading, layer) => {
    const rows = Array.from(sectionOf(heading).matchAll(/^\| `([a-z-]+)` /gm), ([, name]) => name);
    expect(rows.sort()).toEqual(foldersOf(layer).map(({ name }) => name));
  });
});
