import type { OpenAPIObject } from '@nestjs/swagger';
import { type Operation, operationsOf, parameterOf } from './operations';

const BEARER = 'bearer';

/**
 * Returns the document for people who click. Problems, headers and webhooks are for generators: with
 * them the page weighs four times as much, and Swagger UI needs seconds to open an operation.
 */
export function forClicks({ webhooks: _, ...document }: OpenAPIObject): OpenAPIObject {
  const page = structuredClone(document);
  const { schemas, securitySchemes } = page.components!;
  // The first field of the dialog would belong to another scheme, and a token in it is never sent.
  page.components = { schemas, securitySchemes: { [BEARER]: securitySchemes![BEARER]! } };
  for (const { operation } of operationsOf(page)) {
    operation.security = operation.security?.filter((scheme) => BEARER in scheme);
    operation.responses = successesOf(operation);
    letKeyBeEmpty(operation);
  }
  return page;
}

function successesOf({ responses }: Operation): Operation['responses'] {
  const successes = Object.entries(responses).filter(([, answer]) => !('$ref' in answer!));
  return Object.fromEntries(
    successes.map(([status, answer]) => {
      const { headers: _, ...shown } = answer as { headers?: object; description: string };
      return [status, shown];
    }),
  );
}

/** Swagger UI sends nothing while a required field is empty. */
function letKeyBeEmpty(operation: Operation): void {
  const key = parameterOf(operation, 'Idempotency-Key');
  if (!key) return;
  key.required = false;
  key.description = 'Leave it empty for a new one with each Execute. Type one to see it replayed.';
}
