import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { apiDocument } from '../../src/api-document';
import { generateTypes } from '../harness/api-types';
import { messageSchemas } from './message-schemas';
import { namedOperations } from './named-operations';

const CLIENT = join('libs', 'client');

/** A fixed date for the document's examples, so that the files are the same every day. */
const EXAMPLES_FROM_MS = Date.UTC(2031, 0, 1);

/** A field that has a default need not be sent. */
const OPTIONS = ['--default-non-nullable=false'];

/** The generated files of the client. They are checked in, so that a build needs no generator. */
export async function generateClient(): Promise<Record<string, string>> {
  const document = withSuccessesOnly(await apiDocument(EXAMPLES_FROM_MS));
  // Requests cannot open a WebSocket.
  delete document.paths['/v1/gateway'];
  Object.assign(document.components!.schemas!, messageSchemas(document));
  delete document.webhooks;
  return {
    [join(CLIENT, 'api.ts')]: withoutPaths(await generateTypes(JSON.stringify(document), ...OPTIONS)),
    [join(CLIENT, 'named-operations.ts')]: namedOperations(document),
  };
}

/** The client calls operations by name. */
const withoutPaths = (types: string): string => types.replace(/export interface paths \{\n[^]*?\n\}\n/, '');

/** Removes problems and headers: the client has one class for all problems and no headers. */
function withSuccessesOnly(document: OpenAPIObject): OpenAPIObject {
  delete document.components!.responses;
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path as object))) {
    const { responses } = operation as { responses: Record<string, { headers?: object }> };
    for (const status of Object.keys(responses)) {
      if (status.startsWith('2')) delete responses[status]!.headers;
      else delete responses[status];
    }
  }
  return document;
}
