// The program of the package `hongbao-conformance`.
import { helps } from '../launcher/usage.mjs';

if (!helps('conformance', process.argv.slice(2), 'npx hongbao-conformance'))
  await import('../conformance.ts');
