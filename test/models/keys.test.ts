import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, Connection } from '@temporalio/client'
import test, { type ExecutionContext } from 'ava'
import { heldByTemporal, sightings } from '../helpers/canaries.ts'
import { agentOf, customer, timelineOf } from '../helpers/people.ts'
import { start, waiting } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { providers } from './providers.ts'
import { openModels, theKey } from './stage.ts'

/** One provider of each kind. */
const kinds = [...new Map(providers.map((one) => [one.kind, one])).values()]
const elsewhere = 'sk-of-another-4c1d7e'

/** A server that only counts, and answers what it is given. */
async function startPlain(t: ExecutionContext, status: number, headers: Record<string, string>, body: string) {
  const requests: { url: string; texts: string }[] = []
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', texts: JSON.stringify(request.headers) })
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Providers that redirect to another server, and ones that quote the key when they refuse it. */
const open = forWholeFile(test, 'keys', async (t) => {
  const other = await startPlain(t, 200, {}, '{}')
  const quoting = `{"error":{"message":"Incorrect API key provided: ${theKey}","code":"invalid_api_key"}}`
  const one = async (name: string, { kind, id, path, settings }: (typeof kinds)[number]) => {
    const status = name.startsWith('moved') ? 307 : 401
    const server = await startPlain(t, status, { location: `${other.url}/${theKey}` }, quoting)
    const headers = { 'x-team': elsewhere }
    const models = [{ id, name }]
    return {
      server,
      provider: { name, kind, baseUrl: server.url + path, apiKeyEnv: 'THE_KEY', headers, ...settings, models },
    }
  }
  const all = await Promise.all(
    kinds.flatMap((provider) => [one(`moved-${provider.kind}`, provider), one(`refused-${provider.kind}`, provider)]),
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
    return { name: provider.name, agent, run, server, timeline: await timelineOf(someone, id) }
  }
  return { platform, other, runs: await Promise.all(all.map(carryOut)) }
})

for (const { kind } of kinds) {
  test(`a redirect is not followed, so the other server sees neither prompt nor key (${kind})`, async (t) => {
    const { runs, other } = await open()
    const moved = runs.find(({ name }) => name === `moved-${kind}`) ?? t.fail()
    t.like(moved.run, { status: 'waiting', waitingCause: 'model', steps: 0 })
    t.true(moved.server.requests.length > 0)
    t.is(other.requests.length, 0)
  })

  test(`a provider gets the key and the headers of its configuration (${kind})`, async (t) => {
    const { runs } = await open()
    const { server } = runs.find(({ name }) => name === `refused-${kind}`) ?? t.fail()
    for (const secret of [theKey, elsewhere]) t.true(server.requests[0]?.texts.includes(secret))
    t.false(server.requests[0]?.url.includes(theKey))
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
