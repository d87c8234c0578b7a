import { traceWith } from '../../../libs/tracing';
import { AppConfig } from '../config';
import { version } from '../version';
import { createLogger } from './logger';

describe('a line of the log in production', () => {
  let written: string[];

  beforeEach(() => {
    written = [];
    const keep = (line: unknown) => written.push(String(line)) > 0;
    jest.spyOn(process.stdout, 'write').mockImplementation(keep);
    jest.spyOn(process.stderr, 'write').mockImplementation(keep);
  });

  afterEach(() => {
    traceWith(undefined);
    jest.restoreAllMocks();
  });

  const logger = (settings: Partial<AppConfig> = {}) =>
    createLogger({ ...new AppConfig(), NODE_ENV: 'production', ...settings }, 'hongbao-api');
  const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);

  it('has a level that log stores know, the service, its version, and the ids of request and trace', () => {
    traceWith({
      span: (_name, _details, work) => work(),
      here: () => '00-4bf92f3577b34da6-00f067aa0ba902b7-01',
    });
    logger().log('listening', 'Api');
    logger().error('GET /v1/clock failed', 'Error: away\n    at here', { requestId: 'r-1' }, 'Http');
    const always = { service: 'hongbao-api', version, traceId: '4bf92f3577b34da6' };
    expect(lines()).toEqual([
      expect.objectContaining({ ...always, level: 'info', message: 'listening', context: 'Api' }),
      expect.objectContaining({ ...always, level: 'error', requestId: 'r-1', stack: expect.any(String) }),
    ]);
  });

  it('lists modules and routes of the program at the level debug only', () => {
    logger().log('Mapped {/v1/clock, GET} route', 'RouterExplorer');
    expect(lines()).toEqual([]);
    logger({ LOG_LEVEL: 'debug' }).log('Mapped {/v1/clock, GET} route', 'RouterExplorer');
    expect(lines()).toEqual([expect.objectContaining({ level: 'debug' })]);
  });
});
