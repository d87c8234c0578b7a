import type { OpenAPIObject } from '@nestjs/swagger';
import { idSchema } from '../../platform/http';
import { dataOf, EVENT_ID, EVENTS, EXAMPLES } from '../notification';
import { CLOSE } from './close-code';
import { FRAME_BYTES_MAX, FRAME_ID, WATCHED_MAX } from './frame';
import { UNANSWERED_MAX } from './gateway-connection';
import { GATEWAY_PATH } from './gateway';
import { PROTOCOL } from './handshake';
import { schemasBehind } from './schemas-behind';

const FRAME = { id: { type: 'string', pattern: FRAME_ID.source } };
const POSITION = { type: 'string', pattern: EVENT_ID.source };
const WATCHED = { type: 'array', items: idSchema, maxItems: WATCHED_MAX };

const object = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const schemaOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const ask = (op: string, fields: object, required: readonly string[]) =>
  object({ ...FRAME, op: { type: 'string', const: op }, ...fields }, ['id', 'op', ...required]);

/** What a frame may be answered beside `body`: whatever a request would be. */
const answer = (body: object) =>
  object(
    {
      id: { type: ['string', 'null'], description: 'Null: about a frame whose `id` cannot be used.' },
      status: { type: 'integer', minimum: 200, maximum: 599, description: 'As over HTTP.' },
      body: { anyOf: [body, schemaOf('ProblemDto')] },
      retryAfter: { type: 'integer', minimum: 1, description: 'Seconds, as `Retry-After` says them.' },
    },
    ['id', 'status', 'body'],
  );

const news = (event: string, data: object) =>
  object({ event: { type: 'string', const: event }, eventId: POSITION, data }, ['event', 'eventId', 'data']);

const message = (title: string, payload: object, example: object) => ({
  name: title,
  title,
  payload,
  examples: [{ payload: example }],
});

const POSITIONED = { eventId: '1924992000123456' };

const MESSAGES = {
  grab: message('grab', ask('grab', { activityId: idSchema }, ['activityId']), {
    id: '7',
    op: 'grab',
    activityId: '1',
  }),
  grabAnswer: message('grabAnswer', answer(schemaOf('GrabDto')), {
    id: '7',
    status: 200,
    body: { code: '0', redPacketId: '10000042', amount: '7.10' },
  }),
  watch: message('watch', ask('watch', { activityIds: WATCHED, lastEventId: POSITION }, []), {
    id: '8',
    op: 'watch',
    activityIds: ['1'],
    lastEventId: '1924992000000000',
  }),
  watchAnswer: message(
    'watchAnswer',
    answer(object({ activityIds: WATCHED, eventId: POSITION }, ['activityIds', 'eventId'])),
    { id: '8', status: 200, body: { activityIds: ['1'], ...POSITIONED } },
  ),
  ping: message('ping', ask('ping', {}, []), { id: '9', op: 'ping' }),
  pingAnswer: message('pingAnswer', answer(object({}, [])), { id: '9', status: 200, body: {} }),
  ...Object.fromEntries(
    EVENTS.map((event) => [
      event,
      message(event, news(event, schemaOf(dataOf(event).name)), {
        event,
        ...POSITIONED,
        data: EXAMPLES[event],
      }),
    ]),
  ),
  resync: message('resync', news('resync', object({}, [])), { event: 'resync', ...POSITIONED, data: {} }),
};

const CHANNEL = { $ref: '#/channels/gateway' };
const messageAt = (name: string) => ({ $ref: `#/channels/gateway/messages/${name}` });

const asked = (op: string, summary: string) => ({
  action: 'receive',
  channel: CHANNEL,
  summary,
  messages: [messageAt(op)],
  reply: { channel: CHANNEL, messages: [messageAt(`${op}Answer`)] },
});

/** The frames of the gateway as AsyncAPI describes them. What bodies and events are, the API document says, and so does this. */
export function asyncApi({ info, components }: OpenAPIObject): object {
  const described = {
    asyncapi: '3.0.0',
    info: { ...info, title: `${info.title}: the gateway`, description: DESCRIPTION },
    defaultContentType: 'application/json',
    channels: {
      gateway: {
        address: GATEWAY_PATH,
        description: 'One WebSocket for the taps of a player and for their news.',
        messages: MESSAGES,
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      grab: asked('grab', 'Grab a packet. It may be repeated at will: a user gets the same packet for ever.'),
      watch: asked(
        'watch',
        'Hear what happens to me, and to these activities. It takes the place of what was watched before.',
      ),
      ping: asked('ping', 'Find out whether the other side is there. The server sends pings by itself.'),
      news: {
        action: 'send',
        channel: CHANNEL,
        summary: 'What happened. `resync`: something may have been missed, look for yourself.',
        messages: [...EVENTS, 'resync'].map(messageAt),
      },
    },
  };
  return { ...described, components: { schemas: schemasBehind(described, components?.schemas ?? {}) } };
}

const DESCRIPTION =
  `Ask for a WebSocket at \`${GATEWAY_PATH}\` with the subprotocol \`${PROTOCOL}\` and a token in \`Authorization\`; pages offer ` +
  'the subprotocol `bearer.` with the token after it instead. Frames are text of one JSON object each, of at most ' +
  `${FRAME_BYTES_MAX} bytes from clients. An answer has the \`id\` of its frame, and the status and the body that a request ` +
  `would get. At most ${UNANSWERED_MAX} frames may wait for theirs. The limits of users and addresses are those of HTTP, and ` +
  'each frame counts as a request.\n\n' +
  'The server ends a connection with one of these codes: ' +
  `${CLOSE.leaving}, it is leaving: connect again after a random moment; ${CLOSE.noFrame} and ${CLOSE.noText}, this is no ` +
  `frame, or no text; ${CLOSE.notOurProtocol}, this is not our protocol; ` +
  `${CLOSE.tooLarge}, a frame was too large; ${CLOSE.tokenEnded}, the token has ended; ${CLOSE.tooMany}, too many frames or ` +
  'pings. What had no answer by then may be asked again.';
