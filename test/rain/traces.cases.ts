import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { waitFor } from '../harness/engines';
import { GatewayClient } from '../harness/gateway-client';
import { ownDirectory } from '../harness/own-directory';
import { rain } from '../harness/shared-installation';
import { TraceReceiver } from '../harness/trace-receiver';

/** Excludes the API package, which prom-client loads anyway. */
const LOADED_FOR_TRACES = /@opentelemetry\/(?!api\/)/;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

const directory = ownDirectory('traces');

/** Settings that make a program list its loaded modules in `file` when it ends. */
const watched = (file: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--require ${resolve(__dirname, '..', 'harness', 'loaded-modules.cjs')}`,
  LOADED_MODULES_FILE: join(directory, file),
});

const loadedForTraces = (file: string): string[] =>
  readFileSync(join(directory, file), 'utf8')
    .split('\n')
    .filter((module) => LOADED_FOR_TRACES.test(module));

async function startPrograms(settings: NodeJS.ProcessEnv) {
  const [api, worker] = await Promise.all([
    rain.startAnother('main.js', settings),
    rain.startAnother('worker.js', settings),
  ]);
  return { url: api.url, stop: () => Promise.all([api.program.stop(), worker.program.stop()]) };
}

function grab(url: string, activityId: string): Promise<Response> {
  return fetch(`${url}/v1/activities/${activityId}/grabs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rain.tokenOf('ann')}`, traceparent: `00-${TRACE}-${CALLER}-01` },
  });
}

it('a grab is one trace, from the request or frame of its caller to its payment, if a collector is configured', async () => {
  const receiver = await TraceReceiver.start();
  const { url, stop } = await startPrograms({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...watched('on') });
  const activityId = await rain.createActivity();
  expect((await grab(url, activityId)).status).toBe(200);

  const span = (name: string) => receiver.of(TRACE).find((one) => one.name === name)!;
  const route = 'POST /v1/activities/:id/grabs';
  const chain = [route, 'confirm', 'commit', 'offer', 'job', 'payment'];
  const missing = () => [...chain, 'draw'].filter((name) => !span(name));
  await waitFor(() => missing().length === 0, { what: 'all spans' }).catch(() => undefined);
  expect(missing()).toEqual([]);

  const parents = chain.map((name) => span(name).parentSpanId);
  expect(parents).toEqual([CALLER, ...chain.slice(0, -1).map((name) => span(name).spanId)]);
  expect(span('draw').parentSpanId).toBe(span(route).spanId);
  expect(chain.map((name) => span(name).service)).toEqual([
    ...Array.from({ length: 4 }, () => 'hongbao-api'),
    ...Array.from({ length: 2 }, () => 'hongbao-worker'),
  ]);
  expect(span(route).attributes).toMatchObject({ 'http.response.status_code': 200 });
  const claim = await rain.row<{ id: string }>('select id from claim where activity_id = $1', [activityId]);
  for (const name of ['offer', 'payment'])
    expect(span(name).attributes['hongbao.claim_ids']).toEqual([claim.id]);

  const gateway = await GatewayClient.connect(url, rain.tokenOf('ann-by-frame'));
  expect((await gateway.grab(activityId)).body.code).toBe('0');
  await gateway.close();
  const named = (name: string) => receiver.spans.find((one) => one.name === name);
  const frame = (await waitFor(() => named('gateway grab'), { what: 'the span of a frame' }))!;
  const paidOf = () => receiver.of(frame.traceId).find(({ name }) => name === 'payment');
  await waitFor(paidOf, { what: 'its payment' });
  expect(frame.parentSpanId).toBeFalsy();
  expect(receiver.of(frame.traceId).find(({ name }) => name === 'draw')!.parentSpanId).toBe(frame.spanId);

  expect(JSON.stringify(receiver.spans)).not.toContain('ann');

  await stop();
  receiver.stop();
  expect(loadedForTraces('on')).not.toEqual([]);
});

it('no module of OpenTelemetry is loaded if no collector is configured', async () => {
  const { url, stop } = await startPrograms(watched('off'));
  const activityId = await rain.createActivity();
  expect((await grab(url, activityId)).status).toBe(200);
  await rain.settled(activityId);
  await stop();
  expect(loadedForTraces('off')).toEqual([]);
});

it('a collector that refuses spans is named once in the log with its status, and once more when it accepts them again', async () => {
  const receiver = await TraceReceiver.start();
  receiver.status = 401;
  const { program, url } = await rain.startAnother('main.js', {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    LOG_LEVEL: 'info',
  });
  const activityId = await rain.createActivity();
  const logs = async (text: string) => {
    await waitFor(
      async () => {
        await grab(url, activityId);
        return program.output.includes(text);
      },
      { what: text },
    );
  };
  await logs(`${receiver.url} takes no spans, and they are lost: 401 `);
  receiver.status = 200;
  await logs(`${receiver.url} takes spans again.`);
  expect(program.output.match(/takes no spans/g)).toHaveLength(1);
  await program.stop();
  receiver.stop();
});
