import type { ReadHeader } from './proofs.ts'

/** What is known of a request before its body is read. */
interface Asked {
  method: string
  header: ReadHeader
  /** The raw query, without the question mark. */
  search: string
}

/** A sender that asks for something else than a delivery's receipt, and what its owner can do. */
interface Handshake {
  isIn: (asked: Asked) => boolean
  advice: string
}

const typeIs = ({ header }: Asked, type: string): boolean =>
  header('content-type')?.toLowerCase().includes(type) ?? false
const isForm = (asked: Asked): boolean => typeIs(asked, 'x-www-form-urlencoded') || typeIs(asked, 'multipart/form-data')
const has = ({ header }: Asked, name: string): boolean => header(name) !== undefined
const asks = ({ search }: Asked, name: string): boolean => new URLSearchParams(search).has(name)

const relay = 'Put a program of yours in between that passes its events on as JSON, with X-Webhook-Secret.'

const eventGrid = `Azure Event Grid sends lists of events and wants its subscription validated; neither is supported. ${relay}`
const batches =
  'Batches of CloudEvents are not supported: let the sender send one event in each request (structured mode).'

/** The first that fits; the general ones come last. */
const handshakes: readonly Handshake[] = [
  {
    isIn: (asked) => has(asked, 'x-amz-sns-message-type'),
    advice: `Amazon SNS sends text/plain without a secret, and wants its subscription confirmed; neither is supported. ${relay}`,
  },
  {
    isIn: (asked) => has(asked, 'x-github-event') && isForm(asked),
    advice: 'At GitHub, set the content type of the webhook to application/json.',
  },
  {
    isIn: (asked) => (has(asked, 'x-slack-signature') || has(asked, 'x-slack-request-timestamp')) && isForm(asked),
    advice:
      'Slack sends commands, buttons and ssl_check as forms, which are not supported: use Event Subscriptions, and set the address as its Request URL.',
  },
  {
    isIn: (asked) => has(asked, 'aeg-event-type'),
    advice: eventGrid,
  },
  {
    isIn: (asked) => has(asked, 'webhook-request-origin'),
    advice: `The handshake of CloudEvents (WebHook-Request-Origin), as of Azure Event Grid, is not supported. ${relay}`,
  },
  {
    isIn: (asked) => typeIs(asked, 'cloudevents-batch'),
    advice: batches,
  },
  {
    isIn: (asked) => has(asked, 'x-hook-secret'),
    advice: `Asana wants its X-Hook-Secret sent back, which is not supported. ${relay}`,
  },
  {
    isIn: (asked) => has(asked, 'x-zm-signature'),
    advice: `Zoom wants the address validated, and signs in a way of its own; neither is supported. ${relay}`,
  },
  {
    isIn: (asked) => asks(asked, 'validationToken'),
    advice: `Microsoft Graph wants its validationToken sent back as text, which is not supported. ${relay}`,
  },
  {
    isIn: (asked) => asks(asked, 'hub.challenge') || asks(asked, 'hub.mode'),
    advice: `Meta and WebSub hubs want their hub.challenge sent back, which is not supported. ${relay}`,
  },
  {
    isIn: (asked) => asks(asked, 'crc_token'),
    advice: `X wants the answer to its crc_token, which is not supported. ${relay}`,
  },
  {
    isIn: (asked) => asked.method === 'GET' && asks(asked, 'challenge'),
    advice: `The sender, such as Dropbox, wants its challenge sent back, which is not supported. ${relay}`,
  },
  { isIn: isForm, advice: 'Forms are not supported: set the content type to application/json at the sender.' },
]

/** What to do about a request that is a sender's handshake, or of a sender that does not fit; undefined for any other. */
export const handshakeIn = (asked: Asked): string | undefined => handshakes.find(({ isIn }) => isIn(asked))?.advice

/** What to do about a payload that is a list. */
export function adviceOnList([first]: readonly unknown[]): string {
  const has = (name: string): boolean => typeof first === 'object' && first !== null && Object.hasOwn(first, name)
  if (has('eventType') && has('topic')) return eventGrid
  if (has('specversion')) return batches
  return 'Let the sender send one event in each request.'
}
