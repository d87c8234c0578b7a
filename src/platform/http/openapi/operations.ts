import type { OpenAPIObject } from '@nestjs/swagger';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & Record<`x-${string}`, unknown>;

type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;

export interface Described {
  /** Lower case. */
  readonly method: string;
  readonly operation: Operation;
}

export function operationsOf({ paths }: OpenAPIObject): Described[] {
  return Object.values(paths).flatMap((path) =>
    Object.entries(path).map(([method, operation]) => ({ method, operation: operation as Operation })),
  );
}

export function parameterOf({ parameters = [] }: Operation, name: string): Parameter | undefined {
  return (parameters as Parameter[]).find((parameter) => parameter.name === name);
}
