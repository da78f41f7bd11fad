import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { send } from '../../api/raw-http.ts'
import { customer, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { runsOf } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const open = forWholeFile(test, 'handshakes', async (t) => {
  const platform = await startPlatform(t)
  const someone = await customer(platform)
  return { platform, someone, agent: await webhookAgent(someone) }
})

type Headers = Record<string, string>
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const events = JSON.stringify([
  { id: '1', topic: '/subscriptions/x', eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent' },
])

/** What senders send before they deliver anything, or in their own form; and what the refusal says. */
const rows: [what: string, method: string, search: string, headers: Headers, body: string, says: RegExp][] = [
  [
    'SNS',
    'POST',
    '',
    { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'SubscriptionConfirmation' },
    '{}',
    /Amazon SNS/,
  ],
  [
    'a form of GitHub',
    'POST',
    '',
    { ...form, 'x-github-event': 'push' },
    'payload=%7B%7D',
    /content type of the webhook to application\/json/,
  ],
  [
    'a command of Slack',
    'POST',
    '',
    { ...form, 'x-slack-signature': 'v0=0' },
    'command=%2Fx',
    /use Event Subscriptions/,
  ],
  ['a form of somebody', 'POST', '', form, 'a=1', /Forms are not supported/],
  [
    'Event Grid',
    'POST',
    '',
    { ...json, 'aeg-event-type': 'SubscriptionValidation' },
    events,
    /Azure Event Grid sends lists/,
  ],
  ['Event Grid without its header', 'POST', '', json, events, /Azure Event Grid sends lists/],
  [
    'CloudEvents in a batch',
    'POST',
    '',
    { 'content-type': 'application/cloudevents-batch+json' },
    '[{"specversion":"1.0"}]',
    /structured mode/,
  ],
  ['a list', 'POST', '', json, '[{"a":1}]', /not a list\. Let the sender send one event/],
  ['Microsoft Graph', 'POST', '?validationToken=x', { 'content-type': 'text/plain' }, 'x', /Microsoft Graph/],
  ['Meta', 'GET', '?hub.mode=subscribe&hub.challenge=1', {}, '', /hub\.challenge/],
  ['X', 'GET', '?crc_token=1', {}, '', /crc_token/],
  ['Dropbox', 'GET', '?challenge=1', {}, '', /Dropbox/],
  ['CloudEvents', 'OPTIONS', '', { 'webhook-request-origin': 'eventgrid.azure.net' }, '', /WebHook-Request-Origin/],
]

// @promise senders
test("a sender's handshake is refused with the reason, with the secret and without, and starts nothing", async (t) => {
  const { platform, someone, agent } = await open()
  for (const [what, method, search, headers, body, says] of rows)
    for (const secret of [{ 'x-webhook-secret': agent.webhookSecret }, {}] as Headers[]) {
      const path = `/api/webhooks/agent/${agent.id}${search}`
      const answer = await send(platform.url, { method, path, headers: { ...headers, ...secret }, body })
      t.true([400, 401, 405].includes(answer.status), `${what}: ${answer.status}`)
      // A list is known by its contents, which are read once the sender has proven itself.
      const isByContents = json === headers
      if (!isByContents || 'x-webhook-secret' in secret) t.regex(answer.text, says, what)
    }
  t.deepEqual(await runsOf(someone, agent), [])
  const unknown = `/api/webhooks/agent/${newId()}`
  const answer = await send(platform.url, { method: 'POST', path: unknown, headers: form, body: 'a=1' })
  t.is(answer.code, 'AGENT_NOT_FOUND')
})
