import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './operations';

/** Sorts operations by the order of their ids. Operations without an id come last. */
export function inWorkOrder(document: OpenAPIObject, ids: readonly string[]): void {
  const placeOf = ({ operationId = '' }: Operation) =>
    ids.includes(operationId) ? ids.indexOf(operationId) : ids.length;
  const sorted = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods as Record<string, Operation>).sort(
      ([, a], [, b]) => placeOf(a) - placeOf(b),
    );
    return { path, operations, place: placeOf(operations[0]![1]) };
  });
  sorted.sort((a, b) => a.place - b.place);
  document.paths = Object.fromEntries(
    sorted.map(({ path, operations }) => [path, Object.fromEntries(operations)]),
  );
}

/** The order of a program's modules means nothing to readers. */
export function sortSchemas({ components }: OpenAPIObject): void {
  const schemas = Object.entries(components!.schemas!);
  components!.schemas = Object.fromEntries(schemas.sort(([a], [b]) => (a < b ? -1 : 1)));
}
