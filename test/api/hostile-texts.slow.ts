// @promise hard-texts
import test, { type ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import { longestStretch } from '../helpers/cpu-stretch.ts'
import { call, sendRaw } from '../helpers/client.ts'
import { hostileManifests, hostileObjects } from '../helpers/hostile-json.ts'
import { answering, manifestWith, startHostileSite } from '../helpers/hostile-site.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { customer, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

/**
 * How long the event loop may be held up, in processor time: enough for what a test does here beside the platform, such
 * as sending and receiving a mebibyte. `npm run bench -- hostile` gives many more texts to processes, and measures what
 * somebody else waits.
 */
const longestMs = 60

const pets = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: { '/pets': { get: { operationId: 'list_pets' } } },
}

async function open(t: ExecutionContext) {
  const site = await startHostileSite(t)
  const { caFile } = await temporaryCertificates()
  const platform = await startPlatform(t, { env: { SITE_ALLOW: site.host, SITE_CA_FILE: caFile } })
  const owner = await customer(platform, 'enterprise')
  const { id: entryId } = (await call(owner, vault.addToVault, { body: { url: site.origin, token: 'a-token' } })).body
  const agent = await webhookAgent(owner)
  /** Without the checks of `call`, which take longer than what is measured. */
  const send = async (method: 'GET' | 'POST', path: string, body?: string | Buffer) => {
    const headers = {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      'x-webhook-secret': agent.webhookSecret,
    }
    return sendRaw(platform.url + path, { method, headers, ...(body !== undefined && { body }) })
  }
  const act = () => send('POST', `/vault/${entryId}/tools/act/call`, '{}')
  // What is loaded and compiled at first is not measured.
  for (let round = 0; round < 5; round += 1) {
    await send('POST', `/api/webhooks/agent/${agent.id}`, `{"round":${round},"a":"${'x'.repeat(200_000)}"}`)
    site.tool = answering(`{"a":"${'x'.repeat(200_000)}"}`)
    await act()
    await send('POST', '/vault/inspect', JSON.stringify({ url: site.origin }))
  }
  return { site, agent, send, act }
}

const house = forWholeFile(test, 'hostile texts', open)

/** Those that hold up an event loop for longest if it reads them. */
const worst = ['empty lists', 'very many members', 'lists 97 deep', 'halves of surrogate pairs']
const chosen = (texts: Record<string, string>) => worst.map((name) => [name, Buffer.from(texts[name] ?? '')] as const)

/** The shortest of up to three: the collection of garbage of all tests here also takes its time. */
async function isFree(t: ExecutionContext, name: string, work: () => Promise<unknown>) {
  const stretches: number[] = []
  while (stretches.length < 3 && !stretches.some((ms) => ms <= longestMs)) stretches.push(await longestStretch(work))
  t.true(Math.min(...stretches) <= longestMs, `${name}: ${stretches.join(', ')} ms`)
}

test.serial('payloads that are hard to read do not hold up the event loop, nor does their timeline', async (t) => {
  const { agent, send } = await house()
  for (const [name, body] of chosen(hostileObjects(1024 * 1024))) {
    let runId = ''
    await isFree(t, name, async () => {
      const { status, bytes } = await send('POST', `/api/webhooks/agent/${agent.id}`, body)
      t.is(status, 202, name)
      runId = (JSON.parse(bytes.toString()) as { runId: string }).runId
    })
    await isFree(t, `the timeline: ${name}`, async () => {
      const { status, bytes } = await send('GET', `/runs/${runId}/events`)
      t.is(status, 200)
      t.true(bytes.length > body.length, name)
    })
  }
})

/** Documents of nearly 2 MiB: one has a text of another alphabet, and one as many paths as it can. */
const documents = {
  cyrillic: { ...pets, 'x-text': 'Заказы'.repeat(170_000) },
  paths: {
    ...pets,
    paths: Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`/${'ab'.repeat(300)}/${at}`, { get: {} }])),
  },
}

test.serial('large documents do not hold up the event loop, uploaded, inspected or searched', async (t) => {
  const { send } = await house()
  const search = Array.from({ length: 10 }, (_, at) => `${'ab'.repeat(8)}c${at}`).join(' ')
  for (const [name, document] of Object.entries(documents)) {
    const body = Buffer.from(JSON.stringify({ name, text: JSON.stringify(document) }))
    let url = ''
    await isFree(t, `the upload: ${name}`, async () => {
      const { status, bytes } = await send('POST', '/documents', body)
      t.is(status, 201, bytes.toString())
      url = (JSON.parse(bytes.toString()) as { address: string }).address
    })
    await isFree(t, `the search: ${name}`, async () =>
      t.is((await send('POST', '/vault/inspect', JSON.stringify({ url, search }))).status, 200, name),
    )
  }
})

test.serial('results that are hard to read do not hold up the event loop', async (t) => {
  const { site, act } = await house()
  for (const [name, body] of chosen(hostileObjects(1024 * 1024))) {
    site.tool = answering(body)
    await isFree(t, name, async () => t.is((await act()).status, 200, name))
  }
})

test.serial('manifests that are hard to read do not hold up the event loop', async (t) => {
  const { site, send } = await house()
  const inspect = () => send('POST', '/vault/inspect', JSON.stringify({ url: site.origin }))
  for (const [name, body] of chosen(hostileManifests(`${site.origin}/api`))) {
    site.manifest = answering(body)
    await isFree(t, name, async () => t.true([200, 422].includes((await inspect()).status), name))
  }
  site.manifest = answering(manifestWith(`${site.origin}/api`))
})
