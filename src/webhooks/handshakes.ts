import type { ReadHeader } from './proofs.ts'

/** A request before its body is read. */
interface RequestHead {
  method: string
  header: ReadHeader
  /** The raw query, without the question mark. */
  search: string
}

/** A sender's request that expects something other than a receipt, and advice for the agent's owner. */
interface Handshake {
  isIn: (asked: RequestHead) => boolean
  advice: string
}

const typeIs = ({ header }: RequestHead, type: string): boolean =>
  header('content-type')?.toLowerCase().includes(type) ?? false
const isForm = (asked: RequestHead): boolean =>
  typeIs(asked, 'x-www-form-urlencoded') || typeIs(asked, 'multipart/form-data')
const has = ({ header }: RequestHead, name: string): boolean => header(name) !== undefined
const asks = ({ search }: RequestHead, name: string): boolean => new URLSearchParams(search).has(name)

const relay = 'Run your own relay that forwards the events as JSON with an X-Webhook-Secret header.'

const eventGrid = `Azure Event Grid sends lists of events and requires a validation handshake. Neither is supported. ${relay}`
const batches =
  'Batches of CloudEvents are not supported. Configure the sender to send one event per request (structured mode).'

/** The first match counts; general ones come last. */
const handshakes: readonly Handshake[] = [
  {
    isIn: (asked) => has(asked, 'x-amz-sns-message-type'),
    advice: `Amazon SNS sends text/plain without a secret and requires subscription confirmation. Neither is supported. ${relay}`,
  },
  {
    isIn: (asked) => has(asked, 'x-github-event') && isForm(asked),
    advice: "In GitHub, set the webhook's content type to application/json.",
  },
  {
    isIn: (asked) => (has(asked, 'x-slack-signature') || has(asked, 'x-slack-request-timestamp')) && isForm(asked),
    advice:
      'Slack sends commands, buttons and ssl_check as forms, which are not supported. Use Event Subscriptions and set this URL as the Request URL.',
  },
  {
    isIn: (asked) => has(asked, 'aeg-event-type'),
    advice: eventGrid,
  },
  {
    isIn: (asked) => has(asked, 'webhook-request-origin'),
    advice: `The CloudEvents handshake (WebHook-Request-Origin), which Azure Event Grid uses, is not supported. ${relay}`,
  },
  {
    isIn: (asked) => typeIs(asked, 'cloudevents-batch'),
    advice: batches,
  },
  {
    isIn: (asked) => has(asked, 'x-hook-secret'),
    advice: `The Asana handshake, which expects X-Hook-Secret in the response, is not supported. ${relay}`,
  },
  {
    isIn: (asked) => has(asked, 'x-zm-signature'),
    advice: `Zoom requires URL validation and uses its own signature scheme. Neither is supported. ${relay}`,
  },
  {
    isIn: (asked) => asks(asked, 'validationToken'),
    advice: `The Microsoft Graph handshake, which expects validationToken in the response, is not supported. ${relay}`,
  },
  {
    isIn: (asked) => asks(asked, 'hub.challenge') || asks(asked, 'hub.mode'),
    advice: `The Meta and WebSub handshake, which expects hub.challenge in the response, is not supported. ${relay}`,
  },
  {
    isIn: (asked) => asks(asked, 'crc_token'),
    advice: `X's crc_token handshake is not supported. ${relay}`,
  },
  {
    isIn: (asked) => asked.method === 'GET' && asks(asked, 'challenge'),
    advice: `A handshake that expects its challenge in the response, such as Dropbox's, is not supported. ${relay}`,
  },
  {
    isIn: isForm,
    advice: "Forms are not supported. Set the content type to application/json in the sender's settings.",
  },
]

/** Advice for a handshake, or for a sender that does not fit; undefined for any other request. */
export const handshakeIn = (asked: RequestHead): string | undefined =>
  handshakes.find(({ isIn }) => isIn(asked))?.advice

/** Advice for a payload that is a list. */
export function adviceOnList([first]: readonly unknown[]): string {
  const has = (name: string): boolean => typeof first === 'object' && first !== null && Object.hasOwn(first, name)
  if (has('eventType') && has('topic')) return eventGrid
  if (has('specversion')) return batches
  return 'Configure the sender to send one event per request.'
}
