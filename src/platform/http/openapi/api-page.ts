import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiProperty } from '@nestjs/swagger';

/** A page's schema has a name, so that generated clients have one class for it. */
const pages = new Map<Type, Type>();

/** Documents a page of these items with its flags, each with its description. */
export function ApiPage(
  item: Type,
  description: string,
  flags: Readonly<Record<string, string>> = {},
): MethodDecorator {
  const page = pages.get(item) ?? pageOf(item, flags);
  pages.set(item, page);
  return applyDecorators(ApiOkResponse({ description, type: page }));
}

/** All pages of the same items have the same flags. */
function pageOf(item: Type, flags: Readonly<Record<string, string>>): Type {
  const name = item.name.replace(/Dto$/, 'PageDto');
  const page = { [name]: class {} }[name]!;
  ApiProperty({ type: [item] })(page.prototype, 'items');
  const cursor = { type: String, nullable: true, description: 'Null on the last page.' };
  ApiProperty(cursor)(page.prototype, 'nextCursor');
  for (const [flag, text] of Object.entries(flags))
    ApiProperty({ type: Boolean, description: text })(page.prototype, flag);
  return page;
}
