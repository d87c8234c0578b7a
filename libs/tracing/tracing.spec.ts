import { noteOrigin, originsOf, type SpanDetails, traced, traceparent, traceWith } from './tracing';

describe('tracing', () => {
  afterEach(() => traceWith(undefined));

  it('work is done without asking for details while no recorder is set', async () => {
    const details = jest.fn();
    expect(await traced('work', () => Promise.resolve(7), details)).toBe(7);
    expect(details).not.toHaveBeenCalled();
    expect(traceparent()).toBeUndefined();
    const thing = {};
    noteOrigin(thing);
    expect(originsOf([thing])).toEqual({ parent: undefined, links: [] });
  });

  it('the recorder receives the name, the details and the work', async () => {
    const recorded: [string, SpanDetails][] = [];
    traceWith({
      span: (name, details, work) => {
        recorded.push([name, details]);
        return work();
      },
      here: () => 'here',
    });
    expect(
      await traced(
        'work',
        () => Promise.resolve(7),
        () => ({ parent: 'there' }),
      ),
    ).toBe(7);
    await traced('plain', () => Promise.resolve());
    expect(recorded).toEqual([
      ['work', { parent: 'there' }],
      ['plain', {}],
    ]);
  });

  it('the spans in which items were submitted become a parent and links', () => {
    let here = 'a';
    traceWith({ span: (_name, _details, work) => work(), here: () => here });
    const [first, second, unknown] = [{}, {}, {}];
    noteOrigin(first);
    here = 'b';
    noteOrigin(second);
    expect(originsOf([unknown, first, second])).toEqual({ parent: 'a', links: ['b'] });
  });
});
