import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Options } from './options';

export const THEME_OPTIONS: Options = {
  sender: { value: '<text>', help: 'who gives, as its page says', field: 'theme.sender' },
  greeting: { value: '<text>', help: 'a blessing for those who come', field: 'theme.greeting' },
  background: { value: '<color>', help: 'such as #a00000', field: 'theme.colors.background' },
  foreground: { value: '<color>', help: 'of text', field: 'theme.colors.foreground' },
  accent: { value: '<color>', help: 'of amounts and buttons', field: 'theme.colors.accent' },
};

export const LOGO_OPTIONS: Options = {
  'drop-theme': { help: 'take its theme away', sets: { theme: null }, conflicts: Object.keys(THEME_OPTIONS) },
  logo: { value: '<file>', help: 'a PNG or WebP image of at most 8 KiB', parse: dataUrlOf },
  'drop-logo': { help: 'take its logo away', sets: { logo: null }, conflicts: ['logo'] },
};

function dataUrlOf(file: string): string {
  const type = extname(file).slice(1).toLowerCase();
  try {
    return `data:image/${type};base64,${readFileSync(file, 'base64')}`;
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}
