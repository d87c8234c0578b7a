import type { Type } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';

/**
 * Documents bodies of a route by name. Swagger UI fills in the first: it has the required fields, and must do
 * no harm, because people who are only looking around send it unchanged.
 */
export function ApiExamples<T extends object>(
  type: Type<T>,
  examples: Readonly<Record<string, T>>,
): MethodDecorator {
  const described = Object.entries(examples).map(([name, value]) => [name, { value }] as const);
  return ApiBody({ type, examples: Object.fromEntries(described) });
}
