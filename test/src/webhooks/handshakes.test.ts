// @promise senders
import test from 'ava'
import { adviceOnList, handshakeIn } from '../../../src/webhooks/handshakes.ts'
import { send } from '../../api/raw-http.ts'
import { newOwner } from '../../helpers/owner.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { runsOf } from '../../helpers/runs.ts'

type Headers = Record<string, string>
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const batch = { 'content-type': 'application/cloudevents-batch+json' }

/** What senders send before they deliver anything, or in their own form; and what is said to it. */
const rows: [what: string, method: string, search: string, headers: Headers, says: RegExp][] = [
  ['SNS', 'POST', '', { 'x-amz-sns-message-type': 'SubscriptionConfirmation' }, /Amazon SNS/],
  ['a form of GitHub', 'POST', '', { ...form, 'x-github-event': 'push' }, /content type to application/],
  ['a command of Slack', 'POST', '', { ...form, 'x-slack-signature': 'v0=0' }, /Use Event Subscriptions/],
  ['a form of somebody', 'POST', '', form, /Forms are not supported/],
  ['Event Grid', 'POST', '', { 'aeg-event-type': 'SubscriptionValidation' }, /Azure Event Grid sends lists/],
  ['CloudEvents in a batch', 'POST', '', batch, /structured mode/],
  ['Asana', 'POST', '', { 'x-hook-secret': 'x' }, /Asana/],
  ['Zoom', 'POST', '', { 'x-zm-signature': 'x' }, /Zoom/],
  ['Microsoft Graph', 'POST', 'validationToken=x', {}, /Microsoft Graph/],
  ['Meta', 'GET', 'hub.mode=subscribe&hub.challenge=1', {}, /hub\.challenge/],
  ['X', 'GET', 'crc_token=1', {}, /crc_token/],
  ['Dropbox', 'GET', 'challenge=1', {}, /Dropbox/],
  ['CloudEvents', 'OPTIONS', '', { 'webhook-request-origin': 'eventgrid.azure.net' }, /WebHook-Request-Origin/],
]

test("each sender's handshake is known, and a delivery is none", (t) => {
  const adviceTo = (method: string, search: string, headers: Headers) =>
    handshakeIn({ method, search, header: (name) => headers[name] })
  for (const [what, method, search, headers, says] of rows) t.regex(adviceTo(method, search, headers) ?? '', says, what)
  t.is(adviceTo('POST', 'challenge=1', { 'content-type': 'application/json', 'x-github-event': 'push' }), undefined)
  t.regex(adviceOnList([{ topic: 't', eventType: 'e' }]), /Azure Event Grid/)
  t.regex(adviceOnList([{ specversion: '1.0' }]), /structured mode/)
  for (const other of [{ a: 1 }, null, 1]) t.regex(adviceOnList([other]), /one event per request/)
})

const platformOf = sharedPlatform(test, 'idle')

test("a sender's handshake is refused with the reason, with the secret and without, and starts nothing", async (t) => {
  const platform = await platformOf()
  const owner = await newOwner(t, platform)
  const agent = await owner.webhookAgent()
  const path = `/api/webhooks/agent/${agent.id}`
  for (const [what, method, search, headers, says] of rows)
    for (const secret of [{ 'x-webhook-secret': agent.webhookSecret }, {}] as Headers[]) {
      const sent = { 'content-type': 'text/plain', ...headers, ...secret }
      const request = { method, path: `${path}?${search}`, headers: sent, body: '[{"specversion":"1.0"}]' }
      const answer = await send(platform.url, request)
      t.true([400, 401, 405].includes(answer.status), `${what}: ${answer.status}`)
      t.regex(answer.text, says, what)
    }
  const json = { 'content-type': 'application/json', 'x-webhook-secret': agent.webhookSecret }
  const list = await send(platform.url, { method: 'POST', path, headers: json, body: '[{"a":1}]' })
  t.regex(list.text, /not a list\. Configure the sender to send one event/)
  t.deepEqual(await runsOf(owner, agent), [])
})
