// @promise proofs
import { createHmac } from 'node:crypto'
import test from 'ava'
import type { WebhookProof } from '../../../src/agents/agent.ts'
import { standardWebhooksKey } from '../../../src/secrets/standard-webhooks-key.ts'
import { presets } from '../../../src/webhooks/presets.ts'
import { problemOfProof } from '../../../src/webhooks/proofs.ts'
import { nowSeconds, senders } from '../../helpers/senders.ts'

interface Shown {
  headers: Record<string, string>
  body?: string | Buffer
  secrets: string[]
  /** Seconds since 1970. */
  now?: number
}

/** What is wrong with a proof; undefined when nothing is. */
function problem(proof: WebhookProof, { headers, body = '', secrets, now = nowSeconds() }: Shown) {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return problemOfProof(presets[proof], {
    header: (name) => lower[name.toLowerCase()],
    readBody: async () => Buffer.from(body as string),
    secrets,
    now: new Date(now * 1000),
  })
}

/** Examples that the senders and Standard Webhooks publish themselves. */
const published: Partial<Record<WebhookProof, Shown & { body: string }>> = {
  // docs.github.com, "Validating webhook deliveries"
  github: {
    headers: { 'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
    body: 'Hello, World!',
    secrets: ["It's a Secret to Everybody"],
  },
  // docs.slack.dev, "Verifying requests from Slack"
  slack: {
    headers: {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body:
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
      '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
      '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.' +
      '803a0bc887a14d10d2c447fce8b6703c',
    secrets: ['8f742231b10e8888abcd99yyyzzz85a5'],
    now: 1_531_420_618,
  },
  // Standard Webhooks, the example of its specification and of its libraries' tests
  'standard-webhooks': {
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    now: 1_614_265_330,
  },
}

for (const [name, example] of Object.entries(published)) {
  test(`the published example of ${name} is accepted, and nothing that differs from it`, async (t) => {
    const proof = name as WebhookProof
    t.is(await problem(proof, example), undefined)
    t.is(await problem(proof, { ...example, secrets: ['another-secret-altogether', ...example.secrets] }), undefined)
    t.truthy(await problem(proof, { ...example, body: `${example.body} ` }))
    t.truthy(await problem(proof, { ...example, secrets: [`${example.secrets[0]}x`] }))
    t.truthy(await problem(proof, { ...example, secrets: [] }))
    const { header } = presets[proof]
    const given = example.headers[header] ?? ''
    const [last = ''] = given.replace(/=$/, '').slice(-1)
    const altered = given.replace(new RegExp(`${last}(=?)$`), `${last === 'a' ? 'b' : 'a'}$1`)
    for (const value of [altered, '', given.toUpperCase(), given.split(/[,=]/)[1] ?? ''])
      t.truthy(await problem(proof, { ...example, headers: { ...example.headers, [header]: value } }), value)
  })
}

/** Headers that say which delivery it is and are not signed: they prove nothing. */
const unsigned = new Set(['X-GitHub-Delivery', 'X-GitHub-Event', 'X-Shopify-Webhook-Id', 'Idempotency-Key'])

/** What can be wrong with a delivery that was right: its body and its headers. */
async function* tampered(proof: WebhookProof, body: string) {
  const { secret, headers } = senders[proof]
  const signing = { secret, body, id: 'delivery-4711', at: nowSeconds() }
  const right = await headers(signing)
  if (!['secret', 'gitlab'].includes(proof)) {
    yield ['another body', body.replace(/\d/, (digit) => `${(Number(digit) + 1) % 10}`), right] as const
    yield ['the body written anew', JSON.stringify(JSON.parse(body), null, 1), right] as const
    yield ['the secret itself', body, { 'X-Webhook-Secret': secret }] as const
  }
  yield ['another secret', body, await headers({ ...signing, secret: `whsec_${'A'.repeat(43)}=` })] as const
  for (const [name, value] of Object.entries(right).filter(([one]) => !unsigned.has(one))) {
    const others = Object.entries(right).filter(([other]) => other !== name)
    yield [`without ${name}`, body, Object.fromEntries(others)] as const
    yield [`an empty ${name}`, body, { ...right, [name]: '' }] as const
    yield [`a longer ${name}`, body, { ...right, [name]: `${value}0` }] as const
    yield [`a shorter ${name}`, body, { ...right, [name]: value.slice(0, -4) }] as const
  }
  if (['standard-webhooks', 'stripe', 'slack'].includes(proof)) {
    yield ['a signature of the future', body, await headers({ ...signing, at: nowSeconds() + 310 })] as const
  }
}

for (const proof of Object.keys(senders) as WebhookProof[]) {
  test(`of what ${proof} signs, whatever is tampered with is noticed, and told without the secret`, async (t) => {
    const { secret, headers, bodyOf } = senders[proof]
    const body = JSON.stringify({ ...bodyOf('delivery-4711'), number: 1 })
    const right = await headers({ secret, body, id: 'delivery-4711', at: nowSeconds() })
    t.is(await problem(proof, { headers: right, body, secrets: [secret] }), undefined)
    for await (const [what, raw, shown] of tampered(proof, body)) {
      const found = (await problem(proof, { headers: shown, body: raw, secrets: [secret] })) ?? 'nothing'
      t.regex(found, /^The (\S+ header (is missing|does not match)\.|signature's timestamp)/, what)
      t.false(found.includes(secret), what)
    }
  })
}

for (const name of ['standard-webhooks', 'stripe', 'slack'] as const) {
  test(`a signature of ${name} is good for 300 seconds either way, and not for 301`, async (t) => {
    const { secret, headers } = senders[name]
    const at = 1_800_000_000
    const shown = { headers: await headers({ secret, body: '{}', id: 'msg_1', at }), body: '{}', secrets: [secret] }
    for (const off of [-300, -1, 0, 1, 300]) t.is(await problem(name, { ...shown, now: at + off }), undefined, `${off}`)
    for (const off of [-301, 301, 86_400, -86_400])
      t.regex((await problem(name, { ...shown, now: at + off })) ?? '', /more than 300 seconds/, `${off}`)
  })
}

test('a time that is none is none, also when it is signed', async (t) => {
  const secret = senders.slack.secret
  for (const at of ['', ' ', '1e9', '-1', '1.5', '0x10', 'NaN', '1'.repeat(13), '１８０００００００００']) {
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${at}:{}`).digest('hex')}`
    const headers = { 'X-Slack-Request-Timestamp': at, 'X-Slack-Signature': signature }
    t.truthy(await problem('slack', { headers, body: '{}', secrets: [secret] }), at)
  }
})

test('several signatures may stand in a header, of which one must be right and of the known version', async (t) => {
  const at = nowSeconds()
  const body = '{"number":1}'
  const wrong = Buffer.alloc(32).toString('base64')

  const standard = senders['standard-webhooks']
  const signed = await standard.headers({ secret: standard.secret, body, id: 'msg_1', at })
  const right = signed['webhook-signature'] ?? ''
  const judge = (signature: string) => {
    const headers = { ...signed, 'webhook-signature': signature }
    return problem('standard-webhooks', { headers, body, secrets: [standard.secret] })
  }
  for (const good of [`v1,${wrong} ${right}`, `${right} v1,${wrong}`, `v1a,${wrong} ${right}`, `v2,x ${right} junk`])
    t.is(await judge(good), undefined, good)
  for (const bad of [
    right.replace('v1,', 'v2,'),
    right.replace('v1,', 'v1a,'),
    right.replace('v1,', ''),
    `v1,${wrong}`,
  ])
    t.truthy(await judge(bad), bad)

  const { secret, headers } = senders.stripe
  const header = (await headers({ secret, body, id: '', at }))['Stripe-Signature'] ?? ''
  const value = header.split('v1=')[1] ?? ''
  const judgeStripe = (given: string) =>
    problem('stripe', { headers: { 'Stripe-Signature': given }, body, secrets: [secret] })
  for (const good of [header, `t=${at},v1=00,v1=${value}`, `v1=${value},t=${at},v0=00`, `t=${at}, v1=${value}`])
    t.is(await judgeStripe(good), undefined, good)
  const twice = `t=${at},t=${at},v1=${value}`
  for (const bad of [`t=${at},v0=${value}`, `v1=${value}`, twice, `t=${at}`, `t=${at - 1},v1=${value}`])
    t.truthy(await judgeStripe(bad), bad)
})

test('an identity with a point in it is refused although the signature is right', async (t) => {
  const { secret, headers } = senders['standard-webhooks']
  const signed = await headers({ secret, body: '{}', id: 'msg.1', at: nowSeconds() })
  const found = await problem('standard-webhooks', { headers: signed, body: '{}', secrets: [secret] })
  t.regex(found ?? '', /webhook-id header must not contain a period/)
})

test('a signature is over the bytes, whatever they are', async (t) => {
  const body = Buffer.from([0xff, 0x00, 0xc3, 0x28, 0xed, 0xa0, 0x80])
  const { secret } = senders.github
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  const headers = { 'X-Hub-Signature-256': `sha256=${digest}` }
  t.is(await problem('github', { headers, body, secrets: [secret] }), undefined)
  t.truthy(await problem('github', { headers, body: Buffer.from(body.toString()), secrets: [secret] }))
})

test('the body is not read before everything that must come with it is there', async (t) => {
  for (const [name, preset] of Object.entries(presets)) {
    const message = await problemOfProof(preset, {
      header: (wanted) => (wanted === preset.header && preset.signature?.timestamp ? 'v1,aaaa' : undefined),
      readBody: () => Promise.reject(new Error('read')),
      secrets: [senders[name as WebhookProof].secret],
      now: new Date(),
    })
    t.regex(message ?? '', /is missing/, name)
  }
})

test('a secret is a key of Standard Webhooks if it is the base64 of 24 to 64 bytes, with or without its prefix', (t) => {
  const of = (bytes: number) => Buffer.alloc(bytes, 1).toString('base64')
  for (const bytes of [24, 25, 32, 64])
    for (const secret of [of(bytes), `whsec_${of(bytes)}`]) t.is(standardWebhooksKey(secret)?.length, bytes)
  const key = of(25).replace(/^AQEB/, '++//')
  for (const text of [key, key.replace(/=+$/, ''), key.replaceAll('+', '-').replaceAll('/', '_')])
    for (const secret of [`v1,whsec_${text}`, `whsec_${text}`, `"${text}"`, `'v1,${text}'`, `“whsec_${text}”`])
      t.deepEqual(standardWebhooksKey(secret), Buffer.from(key, 'base64'), `as people paste it: ${secret}`)
  const mixed = key.replace('+', '-')
  const bad = [of(23), of(65), '', 'whsec_', `whsec_whsec_${of(32)}`, `${of(25).replace(/=+$/, '')}x`, mixed, `"${key}`]
  for (const secret of [...bad, `whpk_${of(32)}`, 'a secret of another kind']) {
    t.is(standardWebhooksKey(secret), undefined, secret)
  }
})
