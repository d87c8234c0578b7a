import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';

/** Documents a page of these items, and the flags beside them, each with its description. */
export function ApiPage(
  item: Type,
  description: string,
  flags: Readonly<Record<string, string>> = {},
): MethodDecorator {
  const besides = Object.entries(flags).map(([flag, text]) => [flag, { type: 'boolean', description: text }]);
  return applyDecorators(
    ApiExtraModels(item),
    ApiOkResponse({
      description,
      schema: {
        type: 'object',
        required: ['items', 'nextCursor', ...Object.keys(flags)],
        properties: {
          items: { type: 'array', items: { $ref: getSchemaPath(item) } },
          nextCursor: { type: 'string', nullable: true, description: 'Null on the last page.' },
          ...(Object.fromEntries(besides) as object),
        },
      },
    }),
  );
}
