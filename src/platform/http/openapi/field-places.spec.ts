import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import type { Problem } from '../../../../libs/problem';
import { FieldPlace } from '../input/field-place';
import { IsFlag } from '../input/is-plain';
import { Omittable } from '../input/optional';
import { createValidationPipe } from '../input/validation';
import { ApiExamples } from './api-examples';
import { ApiPage } from './api-page';
import { createDocument } from './swagger';

const discount = new FieldPlace();
const shown = new FieldPlace();
const sum = new FieldPlace();

class Discount {
  @ApiProperty()
  @IsFlag()
  readonly isHalf!: boolean;
}

class OrderBody {
  @ApiProperty()
  @IsFlag()
  readonly first!: boolean;

  @discount.here()
  readonly discount?: object;

  @ApiProperty()
  @IsFlag()
  readonly last!: boolean;
}

class OrderDto {
  @shown.here()
  readonly discount?: object | null;

  @ApiProperty()
  readonly id!: string;
}

const PLAIN = { first: true, last: true };
const HALF = { ...PLAIN, discount: { isHalf: true } };

@Controller('orders')
class OrderController {
  @Post()
  @ApiExamples(OrderBody, { plain: PLAIN, half: HALF })
  @ApiOkResponse({ type: OrderDto })
  order(@Body() _body: OrderBody): void {}

  @Get()
  @ApiPage(OrderDto, 'Orders', { sum: sum.here() })
  list(): void {}
}

@Module({ controllers: [OrderController] })
class OrderModule {}

async function describeOrders() {
  const app = await NestFactory.create<never>(OrderModule, new FastifyAdapter(), {
    preview: true,
    logger: false,
  });
  const document = createDocument(app, { title: 'Orders', description: '', version: '1', tags: [] }, 0);
  const schemas = document.components!.schemas! as Record<
    string,
    { properties: Record<string, object>; required: string[] }
  >;
  const { examples } = (
    document.paths['/orders']!.post!.requestBody as never as { content: Record<string, { examples: object }> }
  ).content['application/json']!;
  expect(JSON.stringify(document)).not.toContain('x-place');
  return {
    body: schemas.OrderBody!,
    dto: schemas.OrderDto!,
    page: schemas.OrderPageDto!,
    examples: Object.keys(examples),
  };
}

const faultOf = (body: object) =>
  createValidationPipe()
    .transform(body, { type: 'body', metatype: OrderBody })
    .then(
      () => undefined,
      ({ code, fields }: Problem) => [code, fields?.map(({ field, rule }) => `${field} ${rule}`)],
    );

describe('the place of a field', () => {
  it('that nothing has declared is unknown to requests, and is in no document and no example', async () => {
    const { body, dto, page, examples } = await describeOrders();
    expect(Object.keys(body.properties)).toEqual(['first', 'last']);
    expect([body.required, dto.required]).toEqual([['first', 'last'], ['id']]);
    expect(Object.keys(page.properties)).toEqual(['items', 'nextCursor']);
    expect(examples).toEqual(['plain']);
    expect(await faultOf(PLAIN)).toBeUndefined();
    expect(await faultOf(HALF)).toEqual(['request.unknown_field', ['discount unknown']]);
  });

  it('that was declared after its class is checked and described there, in its order', async () => {
    discount.declare(
      Omittable({ type: Discount }),
      ValidateNested(),
      Type(() => Discount),
    );
    shown.declare(ApiProperty({ type: Discount, nullable: true }));
    sum.declare(ApiProperty({ type: Number }));
    const { body, dto, page, examples } = await describeOrders();
    expect(Object.keys(body.properties)).toEqual(['first', 'discount', 'last']);
    expect([body.required, dto.required]).toEqual([
      ['first', 'last'],
      ['discount', 'id'],
    ]);
    expect(page.properties.sum).toEqual({ type: 'number' });
    expect(examples).toEqual(['plain', 'half']);
    expect(await faultOf(HALF)).toBeUndefined();
    expect(await faultOf({ first: 1, discount: { isHalf: 1 }, last: 1 })).toEqual([
      'request.invalid',
      ['first form', 'discount.isHalf form', 'last form'],
    ]);
    expect(() => discount.declare()).toThrow('A field is declared twice.');
  });
});
