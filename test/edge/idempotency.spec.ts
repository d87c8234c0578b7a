import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { DataSource } from 'typeorm';
import {
  Allow,
  forbidden,
  IdempotencyModule,
  IdempotencyService,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  PageQuery,
} from '../../src/platform/http';
import { createDatabase, type TestDatabase } from '../harness/engines';
import { bearer, startEdge } from './edge-app';

class DepositDto {
  @IsInt()
  readonly amount!: number;

  @IsOptional()
  @IsString()
  readonly note?: string;
}

/** The work of the next request: the request waits for it, or fails with its error. */
let during: () => Promise<void> = async () => undefined;

@Controller('deposits')
class DepositController {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly dataSource: DataSource,
  ) {}

  @Post()
  @Allow('play')
  deposit(@Body() body: DepositDto, @Idempotent() request: IdempotentRequest) {
    return this.idempotency.once(request, async (tx, id) => {
      await tx.query('insert into effect (idempotency_id) values ($1)', [id]);
      await during();
      return { z: 'first', id, amount: body.amount, a: 'last' };
    });
  }

  @Post(':id/cancel')
  @Allow('play')
  cancel(@IdParam() id: string, @Query() _: PageQuery, @Idempotent() request: IdempotentRequest) {
    return this.idempotency.once(request, async () => ({ cancelled: id }));
  }

  @Get('count')
  @Allow('play')
  async count() {
    const [row] = await this.dataSource.query('select count(*)::int as effects from effect');
    return row;
  }
}

describe('a POST with an Idempotency-Key', () => {
  let database: TestDatabase;
  let app: NestFastifyApplication;

  beforeAll(async () => {
    database = await createDatabase();
    const postgres = TypeOrmModule.forRoot({ type: 'postgres', url: database.url, installExtensions: false });
    app = await startEdge({}, { imports: [postgres, IdempotencyModule], controllers: [DepositController] });
    await app.get(DataSource).query('create table effect (idempotency_id bigint primary key)');
  });
  beforeEach(async () => {
    during = async () => undefined;
    await app.get(DataSource).query('truncate effect');
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  let sequence = 0;
  const newKey = () => `key-${process.pid}-${++sequence}`;
  const send = (key: string | undefined, payload: object, { user = 'u1', url = '/deposits' } = {}) =>
    app.inject({
      method: 'POST',
      url,
      payload,
      headers: { ...bearer(user), ...(key === undefined ? {} : { 'idempotency-key': key }) },
    });
  const effects = async () =>
    (await app.inject({ url: '/deposits/count', headers: bearer() })).json().effects;

  it('replays the first answer to the same request: same bytes, same status, one effect', async () => {
    const key = newKey();
    const first = await send(key, { amount: 5, note: 'x' });
    const second = await send(key, { note: 'x', amount: 5 });
    expect(first.statusCode).toBe(201);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    expect(second.statusCode).toBe(201);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.body).toBe(first.body);
    expect(await effects()).toBe(1);
  });

  it('answers 422 if the key is sent with another body, and has no second effect', async () => {
    const key = newKey();
    await send(key, { amount: 5 });
    const other = await send(key, { amount: 6 });
    expect(other.statusCode).toBe(422);
    expect(other.json().code).toBe('idempotency.mismatch');
    expect(await effects()).toBe(1);
  });

  it('answers 422 if the key is sent to another route, or with another id or query in the same route', async () => {
    const key = newKey();
    expect((await send(key, {}, { url: '/deposits/1/cancel' })).statusCode).toBe(201);
    expect((await send(key, {}, { url: '/deposits/2/cancel' })).statusCode).toBe(422);
    expect((await send(key, {}, { url: '/deposits/1/cancel?limit=1' })).statusCode).toBe(422);
    expect((await send(key, { amount: 5 })).statusCode).toBe(422);
  });

  it('belongs to its user: another user may choose the same key', async () => {
    const key = newKey();
    await send(key, { amount: 5 });
    const other = await send(key, { amount: 5 }, { user: 'u2' });
    expect(other.headers).not.toHaveProperty('idempotency-replayed');
    expect(await effects()).toBe(2);
  });

  it('does not wait for the key of another user, even if user and key together form the same text', async () => {
    const [user, key] = ['urn:user', newKey()];
    let finish: () => void = () => undefined;
    const working = new Promise<void>((begun) => {
      during = () => new Promise((resolve) => ((finish = resolve), begun()));
    });
    const first = send(key, { amount: 5 }, { user: `${user}:deposit` });
    await working;
    during = async () => undefined;
    const second = await send(`deposit:${key}`, { amount: 5 }, { user });
    finish();
    expect([second.statusCode, (await first).statusCode]).toEqual([201, 201]);
    expect(await effects()).toBe(2);
  });

  it('answers 409 while the first request is in progress, and replays its answer afterwards', async () => {
    const key = newKey();
    let finish: () => void = () => undefined;
    const working = new Promise<void>((begun) => {
      during = () => new Promise((resolve) => ((finish = resolve), begun()));
    });
    const first = send(key, { amount: 5 });
    await working;
    const second = await send(key, { amount: 5 });
    expect(second.statusCode).toBe(409);
    expect(second.json().code).toBe('idempotency.in_flight');
    expect(second.headers['retry-after']).toBe('1');
    finish();
    expect((await first).statusCode).toBe(201);
    expect((await send(key, { amount: 5 })).headers['idempotency-replayed']).toBe('true');
    expect(await effects()).toBe(1);
  });

  it('has one effect when sent thirty times at once', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(key, { amount: 5 })));
    const fresh = answers.filter((a) => a.statusCode === 201 && !a.headers['idempotency-replayed']);
    expect(fresh).toHaveLength(1);
    for (const answer of answers) expect([201, 409]).toContain(answer.statusCode);
    expect(await effects()).toBe(1);
  });

  it.each([
    ['a problem', () => forbidden('Not today.'), 403],
    ['a fault', () => new Error('boom'), 500],
  ])('has no effect when the work ends in %s, and may be sent again', async (_, fault, status) => {
    const key = newKey();
    during = () => Promise.reject(fault());
    expect((await send(key, { amount: 5 })).statusCode).toBe(status);
    expect(await effects()).toBe(0);
    during = async () => undefined;
    expect((await send(key, { amount: 5 })).statusCode).toBe(201);
    expect(await effects()).toBe(1);
  });

  it('answers 400 when the key is missing', async () => {
    const answer = await send(undefined, { amount: 5 });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().code).toBe('idempotency.key_missing');
  });

  it.each(["it's:a/key=of~mine!", '"8e03978e-40d5-43e8-bc93-6894a57f9324"', 'x'.repeat(128), '12345678'])(
    'accepts the key %j',
    async (key) => {
      expect((await send(key, { amount: 5 }, { user: 'keys' })).statusCode).toBe(201);
      const again = await send(key, { amount: 5 }, { user: 'keys' });
      expect(again.headers['idempotency-replayed']).toBe('true');
    },
  );

  it.each(['', 'short', '1234567', 'x'.repeat(129), 'with space', 'tab\tinside', 'ümlautkey'])(
    'answers 400 to the key %j',
    async (key) => {
      const answer = await send(key, { amount: 5 });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().code).toBe('idempotency.key_invalid');
    },
  );
});
