import { readEnvironment } from '../../libs/environment';
import { runAdmin } from './admin/run';

// A reader that has read enough, such as head, is not a fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

/** `npm run admin`: the work of operators, using only the public API. */
void runAdmin(process.argv.slice(2), {
  env: readEnvironment,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
}).then((code) => {
  process.exitCode = code;
});
