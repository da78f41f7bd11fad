import { Client, Connection } from '@temporalio/client'
import test, { type ExecutionContext } from 'ava'
import { heldByTemporal, sightings } from '../helpers/canaries.ts'
import { agentOf, customer, timelineOf } from '../helpers/people.ts'
import { start, waiting } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { providers } from './providers.ts'
import { serve } from './servers/serve.ts'
import { openModels, theKey } from './stage.ts'

/** One provider of each kind. */
const kinds = [...new Map(providers.map((one) => [one.kind, one])).values()]
const elsewhere = 'sk-of-another-4c1d7e'

/** A server that counts, redirects the first request, and quotes the key when it refuses those after it. */
async function startPlain(t: ExecutionContext, location: string) {
  const requests: { url: string; texts: string }[] = []
  const quoting = `{"error":{"message":"Incorrect API key provided: ${theKey}","code":"invalid_api_key"}}`
  const url = await serve(t, (request, response) => {
    requests.push({ url: request.url ?? '', texts: JSON.stringify(request.headers) })
    request.resume()
    const status = requests.length === 1 ? 307 : 401
    response.writeHead(status, { 'content-type': 'application/json', location }).end(quoting)
  })
  return { requests, url }
}

const open = forWholeFile(test, 'keys', async (t) => {
  const other = await startPlain(t, '/')
  const all = await Promise.all(
    kinds.map(async ({ kind, id, path, settings }) => {
      const server = await startPlain(t, `${other.url}/${theKey}`)
      const own = { baseUrl: server.url + path, apiKeyEnv: 'THE_KEY', headers: { 'x-team': elsewhere } }
      return { server, provider: { name: kind, kind, ...own, ...settings, models: [{ id, name: kind }] } }
    }),
  )
  const { platform } = await openModels(
    t,
    all.map(({ provider }) => provider),
  )
  const someone = await customer(platform, 'enterprise')

  async function carryOut({ server, provider }: (typeof all)[number]) {
    const agent = await agentOf(someone, { model: provider.name })
    const { id } = (await start(someone, agent)).body
    const run = await waiting(someone, id, 150)
    return { kind: provider.kind, agent, run, server, timeline: await timelineOf(someone, id) }
  }
  return { platform, other, runs: await Promise.all(all.map(carryOut)) }
})

for (const { kind } of kinds) {
  test(`a provider gets the key and the headers of its configuration, and a redirect takes them to no other (${kind})`, async (t) => {
    const { runs, other } = await open()
    const { run, server } = runs.find((one) => one.kind === kind) ?? t.fail()
    t.like(run, { status: 'waiting', waitingCause: 'model', steps: 0 })
    t.true(server.requests.length > 1, 'it was redirected, and then refused')
    for (const { url, texts } of server.requests) {
      for (const secret of [theKey, elsewhere]) t.true(texts.includes(secret))
      t.false(url.includes(theKey))
    }
    t.is(other.requests.length, 0)
  })
}

test('a key stands in no log, timeline, run, agent or history of Temporal, even if the provider quotes it', async (t) => {
  const { platform, runs } = await open()
  const { address, namespace } = platform.config.temporal
  const connection = await Connection.connect({ address })
  t.teardown(() => connection.close())
  const held = await heldByTemporal(new Client({ connection, namespace }), platform.config.temporal.taskQueue, {
    runIds: runs.map(({ run }) => run.id),
    agentIds: runs.map(({ agent }) => agent.id),
  })
  const shown = runs.map(({ agent, run, timeline }) => JSON.stringify([agent, run, timeline]))
  const texts = [...platform.logs, ...shown, ...[...held.values()].flat()]
  t.true(texts.length > runs.length * 4)
  t.deepEqual(sightings({ key: theKey, header: elsewhere }, texts), [])
})
