import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';

/** The schema of a union. The value of `property` names the alternative, so that clients need not try each. */
export function oneOfBy(property: string, alternatives: Readonly<Record<string, Type>>) {
  const paths = Object.entries(alternatives).map(([value, type]) => [value, getSchemaPath(type)] as const);
  return {
    oneOf: paths.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: property, mapping: Object.fromEntries(paths) },
  };
}
