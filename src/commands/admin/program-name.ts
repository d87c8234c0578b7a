import { basename } from 'node:path';

/** The name of the program where it runs: in the package `@hongbao/client`, in the image, or here. */
export const PROGRAM = ((file) => {
  if (file.startsWith('hongbao-admin')) return 'hongbao-admin';
  return file === 'admin' ? 'admin' : 'npm run admin --';
})(basename(process.argv[1] ?? ''));
