import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { longestStretch } from '../../../../helpers/cpu-stretch.ts'
import { hostileObjects } from '../../../../helpers/hostile-json.ts'
import { temporaryCertificates } from '../../../../helpers/https-server.ts'
import type { Scripted } from '../../../../helpers/scripted-mcp.ts'
import { openDialect, shareThreads } from './dialect.ts'

shareThreads(test)

const MiB = 1024 ** 2
const bounds = { resultBytes: MiB, manifestBytes: MiB / 4 }
/** No stranger may hold the event loop for longer, in milliseconds of processor time. */
const longest = 50

async function startServer(t: ExecutionContext) {
  const { certFile, keyFile } = await temporaryCertificates()
  const file = fileURLToPath(new URL('../../../../helpers/scripted-mcp.ts', import.meta.url))
  const child = fork(file, [certFile, keyFile])
  t.teardown(() => child.kill())
  const [port] = (await once(child, 'message')) as [number]
  const answers = async (given: Record<string, Scripted>) => {
    child.send(given)
    await once(child, 'message')
  }
  return { url: `https://localhost:${port}/mcp`, answers }
}

const message = (result: string) => `{"jsonrpc":"2.0","id":"ID","result":${result}}`
const inJson = (result: string): Scripted => ({ type: 'json', parts: [message(result)] })
const inStream = (...parts: string[]): Scripted => ({ type: 'stream', parts })
const event = (data: string) => `data: ${data}\n\n`
const fill = (bytes: number, unit: string) => unit.repeat(Math.floor(bytes / unit.length))
const done = event(message('{"content":[]}'))
const size = MiB - 1000

const results: Record<string, Scripted> = {
  ...Object.fromEntries(
    Object.entries(hostileObjects(size)).flatMap(([name, text]) => [
      [`${name}, structured`, inJson(`{"content":[],"structuredContent":${text}}`)],
      [`${name}, in an event`, inStream(event(message(`{"content":[],"structuredContent":${text}}`)))],
    ]),
  ),
  'a hundred thousand contents': inJson(`{"content":[${fill(size, '{"type":"text"},').slice(0, -1)}]}`),
  'a hundred thousand events': inStream(fill(size - 100, event('1')), done),
  'a hundred thousand comments': inStream(fill(size - 100, ':\n\n'), done),
  'one endless line': inStream(fill(size, 'data: xxxxxxxxxxxxx')),
  'events of many lines': inStream(fill(size - 100, 'data: 1\n'), '\n\n', done),
  notifications: inStream(fill(size - 100, event('{"jsonrpc":"2.0","method":"notifications/message"}')), done),
  pings: inStream(fill(size - 100, event('{"jsonrpc":"2.0","id":1,"method":"ping"}')), done),
  'answers to others': inStream(fill(size - 100, event('{"jsonrpc":"2.0","id":99,"result":{}}')), done),
  'a batch of answers': { type: 'json', parts: [`[${fill(size, `${message('{}')},`).slice(0, -1)}]`] },
  'an error with much data': {
    type: 'json',
    parts: [`{"jsonrpc":"2.0","id":"ID","error":{"code":-32603,"message":"x","data":[${fill(size, '[],')}[]]}}`],
  },
  'a question with much data': inStream(
    event(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${fill(size, '[],')}[]]}}`),
  ),
}

/** One tool that holds up schemas of every kind. */
const tool = (more: string) => `{"name":"act","inputSchema":{"type":"object"${more}}}`
const manifestSize = MiB / 4 - 1000
const toolLists: Record<string, Scripted> = {
  'a hundred thousand tools': inJson(`{"tools":[${fill(6 * MiB, `${tool('')},`).slice(0, -1)}]}`),
  'as many tools as are read': inJson(`{"tools":[${fill(manifestSize, `${tool('')},`).slice(0, -1)}]}`),
  'as many empty tools as are read': inJson(`{"tools":[${fill(manifestSize, '{},').slice(0, -1)}]}`),
  'a schema of 10 MB': inJson(`{"tools":[${tool(`,"properties":{${fill(10 * MiB, '"a":{},')}"a":{}}`)}]}`),
  'a wide schema': inJson(`{"tools":[${tool(`,"properties":{${fill(manifestSize, '"a":{},')}"a":{}}`)}]}`),
  'a deep schema': inJson(
    `{"tools":[${tool(`,"not":${fill(manifestSize / 2, '{"not":')}{}${fill(manifestSize / 14, '}')}`)}]}`,
  ),
  'lists in a schema': inJson(`{"tools":[${tool(`,"x":[${fill(manifestSize, '[],')}[]]`)}]}`),
  'a long description': inJson(`{"tools":[${tool(`,"description":"${fill(manifestSize, '\\u202e')}"`)}]}`),
}

const openings: Record<string, Scripted> = {
  'much about the server': inJson(
    `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"},"x":[${fill(size, '[],')}[]]}`,
  ),
  'many capabilities': inJson(
    `{"protocolVersion":"2025-11-25","capabilities":{${fill(60_000, '"a":{},')}"tools":{}},"serverInfo":{"name":"x","version":"1"}}`,
  ),
}

test.serial('nothing that a server answers to a call holds the event loop up', async (t) => {
  const server = await startServer(t)
  const { call } = await openDialect(t, bounds)
  const pinned = { name: 'act', description: 'Acts.', input_schema: {}, output_schema: { type: 'object' } }
  const slow: string[] = []
  for (const [name, answer] of Object.entries({ usual: inJson('{"content":[]}'), ...results })) {
    await server.answers({ 'tools/call': answer })
    let kind = ''
    const ms = await longestStretch(async () => ({ kind } = await call(server.url, 'act', { pinned })))
    t.log(`${Math.round(ms)} ms, ${kind}: ${name}`)
    if (ms > longest && name !== 'usual') slow.push(`${name}: ${Math.round(ms)}`)
  }
  t.deepEqual(slow, [])
})

test.serial('nothing that a server lists, or says about itself, holds the event loop up', async (t) => {
  const server = await startServer(t)
  const { list } = await openDialect(t, bounds)
  const slow: string[] = []
  const rows = [
    ['usual', { 'tools/list': inJson(`{"tools":[${tool('')}]}`) }],
    ...Object.entries(toolLists).map(([name, answer]) => [name, { 'tools/list': answer }] as const),
    ...Object.entries(openings).map(([name, answer]) => [name, { initialize: answer }] as const),
  ] as const
  for (const [name, answers] of rows) {
    await server.answers(answers)
    let outcome: unknown
    const ms = await longestStretch(async () => {
      outcome = await list(server.url).then(
        () => 'listed',
        (error: unknown) => (error as Error).message,
      )
    })
    t.log(`${Math.round(ms)} ms, ${String(outcome)}: ${name}`)
    if (ms > longest && name !== 'usual') slow.push(`${name}: ${Math.round(ms)}`)
  }
  t.deepEqual(slow, [])
})
