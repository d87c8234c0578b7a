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
import { join } from 'node:path';
import type { Edit } from './edits';
import { jestConfig } from './jest-config';
import { makeTemplate } from './postgres';
import { runNode } from './run-node';

const NOT_COPIED = ['.git', '.local', 'coverage', 'node_modules'];
const JEST = join('node_modules', 'jest', 'bin', 'jest.js');

/** A limit against hanging. */
const SPEC_WITHIN_MS = 600_000;

/**
 * Plants each edit in a copy of the checkout, and returns those after which its spec still passes, or which
 * cannot be judged because it fails without them.
 */
export async function play(root: string, edits: readonly Edit[], endsAtMs: number): Promise<Edit[]> {
  if (edits.length === 0) return [];
  const copy = copyOf(root);
  const unseen: Edit[] = [];
  const passes = new Map<string, boolean>();
  try {
    for (const edit of edits) {
      if (performance.now() > endsAtMs) break;
      const { file, from, to, spec } = edit;
      if (!passes.has(spec)) passes.set(spec, await passesUnchanged(copy, spec));
      const seenBy = passes.get(spec) ? await testThatSees(copy, edit) : undefined;
      if (seenBy === undefined) unseen.push(edit);
      console.log(
        `${seenBy ? 'seen' : 'UNSEEN'}  ${file}  ${from} → ${to || '(nothing)'}  ${seenBy ?? spec}`,
      );
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
  return copy;
}

/** Returns the first test that fails with an edit, if any does. */
async function testThatSees(copy: string, { file, from, to, spec }: Edit): Promise<string | undefined> {
  const edited = [join(copy, file), join(copy, 'dist', file)].filter((path) => existsSync(path));
  const text = readFileSync(edited[0]!, 'utf8');
  const write = async (changed: string): Promise<void> => {
    for (const path of edited) writeFileSync(path, changed);
    if (file.endsWith('.sql')) await makeTemplate(copy);
  };
  await write(text.replace(from, () => to));
  const { code, output } = await test(copy, spec);
  await write(text);
  return code === 0 ? undefined : (/● (.*)/.exec(output)?.[1] ?? 'its time was over');
}

/** A test that failed because the machine was busy passes the second time. */
async function passesUnchanged(copy: string, spec: string): Promise<boolean> {
  if ((await test(copy, spec)).code === 0) return true;
  const { code, output } = await test(copy, spec);
  if (code !== 0) console.log(`${spec} fails without a mistake.\n${output}`);
  return code === 0;
}

const test = (copy: string, spec: string): ReturnType<typeof runNode> =>
  runNode(copy, [JEST, '--config', JSON.stringify(jestConfig(copy, [spec])), '--runInBand'], {
    withinMs: SPEC_WITHIN_MS,
  });
