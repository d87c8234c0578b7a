import { DataSource } from 'typeorm';
import { dataSourceOptions, knowsTimeZone } from '../../src/platform/postgres';
import { databaseUrl } from '../harness/engines';

describe('a time zone that a client names', () => {
  let dataSource: DataSource;

  beforeAll(async () => {
    const url = databaseUrl('postgres');
    dataSource = await new DataSource(dataSourceOptions({ databaseUrl: url, poolMax: 2 })).initialize();
  });

  afterAll(() => dataSource.destroy());

  it('costs Postgres at most one query a minute if it is unknown, however many others are named', async () => {
    const queries = jest.spyOn(dataSource, 'query');
    const names = Array.from({ length: 50 }, (_, i) => `Nowhere/Town${i}`);
    const first = await Promise.all(names.map((name) => knowsTimeZone(dataSource, name)));
    expect([...new Set(first)]).toEqual([false]);
    expect(await knowsTimeZone(dataSource, 'Nowhere/Else')).toBe(false);
    expect(await knowsTimeZone(dataSource, 'Asia/Shanghai')).toBe(true);
    expect(queries).toHaveBeenCalledTimes(1);
  });

  it('is looked up again after a failed query', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    const away = await new DataSource(
      dataSourceOptions({ databaseUrl: databaseUrl('postgres'), poolMax: 1 }),
    ).initialize();
    await away.destroy();
    await expect(knowsTimeZone(away, 'Nowhere/Else')).rejects.toThrow();
    clock.mockRestore();
    expect(await knowsTimeZone(dataSource, 'Europe/Berlin')).toBe(true);
  });
});
