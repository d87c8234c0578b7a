import type { Type } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';

/**
 * Documents bodies of a route by name. Swagger UI fills in the first one: it holds what is required,
 * is sent unchanged by people who only look, and must do no harm then.
 */
export function ApiExamples<T extends object>(
  type: Type<T>,
  examples: Readonly<Record<string, T>>,
): MethodDecorator {
  const described = Object.entries(examples).map(([name, value]) => [name, { value }] as const);
  return ApiBody({ type, examples: Object.fromEntries(described) });
}
