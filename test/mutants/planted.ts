import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Options, type ParserConfig, transformSync } from '@swc/core';
import { unbundle } from '../faults/copy';
import type { Edit } from './edits';
import { jestConfig } from './jest-config';
import { makeTemplate } from './postgres';
import { inOneLine } from './report';
import { runNode } from './run-node';

/** What `deploy/swc.js` exports. */
interface Compiler {
  readonly swcOptions: (parser: ParserConfig) => Options;
  readonly TYPESCRIPT: ParserConfig;
}

const NOT_COPIED = ['.git', '.local', 'coverage', 'node_modules'];
const JEST = join('node_modules', 'jest', 'bin', 'jest.js');

/** A guard against hanging. */
const SPEC_WITHIN_MS = 600_000;

/**
 * Plants each edit in a copy of the checkout. Returns the edits with which their spec still passes, or which
 * cannot be judged because the spec fails without them.
 */
export async function play(root: string, edits: readonly Edit[], endsAtMs: number): Promise<Edit[]> {
  if (edits.length === 0) return [];
  const copy = copyOf(root);
  const unseen: Edit[] = [];
  const passes = new Map<string, boolean>();
  try {
    for (const edit of edits) {
      if (performance.now() > endsAtMs) break;
      const { file, from, to, spec, test: name = '' } = edit;
      if (!passes.has(spec + name)) passes.set(spec + name, await passesUnchanged(copy, edit));
      const seenBy = passes.get(spec + name) ? await testThatSees(copy, edit) : undefined;
      if (seenBy === undefined) unseen.push(edit);
      const change = `${inOneLine(from)} → ${inOneLine(to) || '(nothing)'}`;
      console.log(`${seenBy ? 'seen' : 'UNSEEN'}  ${file}  ${change}  ${seenBy ?? spec}`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  console.log(`edits by hand: ${edits.length}, unseen: ${unseen.length}`);
  return unseen;
}

function copyOf(root: string): string {
  mkdirSync(join(root, '.local'), { recursive: true });
  const copy = mkdtempSync(join(root, '.local', 'planted-'));
  for (const name of readdirSync(root).filter((entry) => !NOT_COPIED.includes(entry)))
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  unbundle(join(copy, 'dist'));
  return copy;
}

/** Returns the first test that fails with an edit, if any does in time. */
async function testThatSees(copy: string, edit: Edit): Promise<string | undefined> {
  const { file, from, to } = edit;
  const text = readFileSync(join(copy, file), 'utf8');
  const write = async (changed: string): Promise<void> => {
    writeFileSync(join(copy, file), changed);
    writeBuilt(copy, file, changed);
    if (file.endsWith('.sql')) await makeTemplate(copy);
  };
  await write(text.replace(from, () => to));
  const { code, output } = await test(copy, edit);
  await write(text);
  return code ? (/● (.*)/.exec(output)?.[1] ?? edit.spec) : undefined;
}

/** Some specs start the programs, which run what was built. */
function writeBuilt(copy: string, file: string, text: string): void {
  const built = join(copy, 'dist', file.replace(/\.ts$/, '.js'));
  if (!existsSync(built)) return;
  const { swcOptions, TYPESCRIPT } = createRequire(join(copy, 'package.json'))('./deploy/swc.js') as Compiler;
  const compile = (): string => transformSync(text, { ...swcOptions(TYPESCRIPT), sourceMaps: false }).code;
  writeFileSync(built, file.endsWith('.ts') ? compile() : text);
}

/** A test that failed because the machine was busy passes the second time. */
async function passesUnchanged(copy: string, edit: Edit): Promise<boolean> {
  if ((await test(copy, edit)).code === 0) return true;
  const { code, output } = await test(copy, edit);
  if (code !== 0) console.log(`${edit.spec} fails without a mistake.\n${output}`);
  return code === 0;
}

function test(copy: string, { spec, test: name = '' }: Edit): ReturnType<typeof runNode> {
  const config = JSON.stringify(jestConfig(copy, [spec]));
  return runNode(copy, [JEST, '--config', config, '--runInBand', '--testNamePattern', name], {
    withinMs: SPEC_WITHIN_MS,
  });
}
