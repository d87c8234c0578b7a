import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { type Fault, must } from '../../../../libs/problem';
import { Omittable } from './optional';
import { invalidField } from '../problems/http.error';
import { isId } from './ids';
import { IsWholeNumber } from './is-whole-number';
import { Judged } from './judged';

const PAGE_LIMIT_MAX = 100;
const PAGE_LIMIT_DEFAULT = 20;
const CURSOR_LENGTH_MAX = 128;

/** Distinguishes our cursors from other base64url. */
const CURSOR_MARK = 'after:';

/** The query `?limit=…&cursor=…`. Extend it when a list also filters. */
export class PageQuery {
  @ApiPropertyOptional({
    description: 'Number of items on a page.',
    minimum: 1,
    maximum: 100,
    default: 20,
    type: 'integer',
  })
  @Transform(({ value }: { value: unknown }) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : value))
  @IsWholeNumber({ minimum: 1, maximum: PAGE_LIMIT_MAX })
  readonly limit: number = PAGE_LIMIT_DEFAULT;

  @Omittable({ description: '`nextCursor` of the previous page.', maxLength: CURSOR_LENGTH_MAX })
  @Judged('isCursor', cursorFault)
  readonly cursor?: string;
}

/** `nextCursor` is null on the last page. */
export interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

/** Hides the key of a page's last row, so that clients do not rely on its meaning. */
export function encodeCursor(value: string): string {
  return Buffer.from(CURSOR_MARK + value).toString('base64url');
}

/**
 * Returns the key after which the next page begins; undefined on the first page.
 * @throws Problem `request.invalid` when the cursor was not made by `encodeCursor`
 */
export function decodeCursor(
  cursor: string | undefined,
  isKey: (value: string) => boolean = isId,
): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const value = text.slice(CURSOR_MARK.length);
  if (text.startsWith(CURSOR_MARK) && encodeCursor(value) === cursor && isKey(value)) return value;
  throw invalidField('cursor', must.beA('cursor'));
}

function cursorFault(value: unknown): Fault | undefined {
  if (typeof value !== 'string') return must.beA('text');
  const size = { maximum: CURSOR_LENGTH_MAX };
  return value.length > CURSOR_LENGTH_MAX
    ? must.haveSize('characters', size, `must have at most ${CURSOR_LENGTH_MAX} characters`)
    : undefined;
}

/** The query must read one row more than `limit`, which shows whether this page is the last. */
export function toPage<Row>(rows: readonly Row[], limit: number, cursorOf: (row: Row) => string): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? encodeCursor(cursorOf(last)) : null;
  return { items, nextCursor };
}
