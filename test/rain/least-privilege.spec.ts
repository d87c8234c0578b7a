import { Redis } from 'ioredis';
import { Client } from 'pg';
import { CONFIRM_ALL } from '../harness/confirm-functions';
import { createDatabase, redisAppUrl, startTestRedis, type TestDatabase } from '../harness/engines';

/** All other tests of real processes run as this role, and show that its rights suffice. */
describe('the database role of API and worker', () => {
  let database: TestDatabase;
  let app: Client;

  beforeAll(async () => {
    database = await createDatabase();
    app = new Client({ connectionString: database.appUrl });
    await app.connect();
  });
  afterAll(async () => {
    await app.end();
    await database.drop();
  });

  it.each([
    ['change the ledger', 'update transfer set amount_minor = 1'],
    ['delete from the ledger', 'delete from transfer'],
    ['empty the ledger', 'truncate transfer'],
    ['change the audit log', `update audit_log set actor_id = 'nobody'`],
    ['delete from the audit log', 'delete from audit_log'],
    ['change a packet', 'update packet set amount_minor = 1'],
    ['change a claim', `update claim set user_id = 'thief'`],
    ['delete a claim', 'delete from claim'],
    ['give an activity another sponsor', `update activity set sponsor_id = 'thief'`],
    ['let an activity open at another time', `update activity set opens_at = now()`],
    ['ask for the approval of another amount', 'update approval set amount_minor = 1'],
    ['delete an approval', 'delete from approval'],
    ['forget what somebody did alone', 'delete from solo_deed'],
    ['put other words into the mouth of a winner', `update thanks set text = 'no'`],
    ['take thanks back', 'delete from thanks'],
    ['forget what a user has sent today', 'delete from sender_day_count'],
    ['change a statement that was issued', `update wallet_statement set closing_minor = 1`],
    ['take a movement out of a statement', 'delete from wallet_statement_line'],
    ['change a top-up', 'update top_up set amount_minor = 1'],
    ['send a webhook elsewhere', `update webhook set url = 'https://thief.example/'`],
    ['change what a webhook will hear', `update undelivered_message set body = '{}'`],
    ['give a wallet another owner', `update account set owner_id = 'thief'`],
    ['delete an account', 'delete from account'],
    ['change what all processes agreed on', `update setting set value = '1'`],
    ['say that a migration has run', `insert into migrations (timestamp, name) values (1, 'x')`],
    ['create a table', 'create table loot (id int)'],
    ['drop a constraint', 'alter table claim drop constraint claim_user_once'],
    ['disable a trigger', 'alter table transfer disable trigger append_only'],
    ['drop a function', `drop function ${CONFIRM_ALL}`],
    [
      'replace a function',
      `create or replace function refuse_change() returns trigger language plpgsql as ''`,
    ],
    ['change a function', `alter function ${CONFIRM_ALL} security definer`],
    ['say which text a function was made from', `update stored_function set checksum = ''`],
    ['give itself more rights', 'alter role hongbao_app superuser'],
  ])('may not %s', async (_, sql) => {
    await expect(app.query(sql)).rejects.toMatchObject({ code: '42501' });
  });
});

describe('the Redis user of API and worker', () => {
  let engine: Awaited<ReturnType<typeof startTestRedis>>;
  let app: Redis;

  beforeAll(async () => {
    engine = await startTestRedis();
    app = new Redis(redisAppUrl(engine.url));
  });
  afterAll(async () => {
    app.disconnect();
    await engine.stop();
  });

  it.each([
    ['FLUSHALL'],
    ['KEYS', '*'],
    ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'],
    ['CONFIG', 'GET', 'requirepass'],
    ['ACL', 'LIST'],
    ['SHUTDOWN', 'NOSAVE'],
    ['REPLICAOF', '127.0.0.1', '1'],
    ['MONITOR'],
    ['GET', 'session:somebody'],
    ['PUBLISH', 'news', 'x'],
    ['EVAL', "return redis.call('GET', KEYS[1])", '1', 'session:somebody'],
  ])('may not %s %s', async (command, ...args) => {
    await expect(app.call(command, ...args)).rejects.toThrow(/NOPERM|ACL failure|No permissions/i);
  });
});
