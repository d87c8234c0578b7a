import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiProperty } from '@nestjs/swagger';

/** A page's schema has a name, so that generated clients have one class for it. */
const pages = new Map<Type, Type>();

type Fields = Readonly<Record<string, string | PropertyDecorator>>;

/** Documents a page of these items with its flags, each with its description, and its other fields. */
export function ApiPage(item: Type, description: string, flags: Fields = {}): MethodDecorator {
  const page = pages.get(item) ?? pageOf(item, flags);
  pages.set(item, page);
  return applyDecorators(ApiOkResponse({ description, type: page }));
}

/** All pages of the same items have the same flags. */
function pageOf(item: Type, flags: Fields): Type {
  const name = item.name.replace(/Dto$/, 'PageDto');
  const page = { [name]: class {} }[name]!;
  ApiProperty({ type: [item] })(page.prototype, 'items');
  const cursor = { type: String, nullable: true, description: 'Null on the last page.' };
  ApiProperty(cursor)(page.prototype, 'nextCursor');
  for (const [field, described] of Object.entries(flags)) {
    const decorate =
      typeof described === 'string' ? ApiProperty({ type: Boolean, description: described }) : described;
    // The compiler does this for the fields of a written class. A field that nothing has declared needs it.
    Reflect.metadata('design:type', Object)(page.prototype, field);
    decorate(page.prototype, field);
  }
  return page;
}
