import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { eventually } from '../../../../helpers/eventually.ts'
import { startHttpsSite } from '../../../../helpers/https-server.ts'
import { ownFolder } from '../../../../helpers/servers.ts'
import { openDialect, shareThreads } from './dialect.ts'

shareThreads(test)

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))

/** The reference server, of the protocol with sessions, as a process behind an HTTPS site. */
async function startEverything(t: ExecutionContext) {
  // It would listen at every address of the machine, so it gets a socket that is a file.
  const socketPath = join(ownFolder(), 'mcp.sock')
  let [child, lines] = [spawnServer(socketPath), [] as string[]]
  const started = async () => {
    lines = []
    createInterface(child.stderr).on('line', (line) => lines.push(line))
    await eventually(30, 'the server listens', () => lines.some((line) => line.includes('listening')) || undefined)
  }
  t.teardown(() => child.kill('SIGKILL'))
  await started()
  const site = await startHttpsSite(t, (request, response) => forward(request, response, socketPath))
  const restart = async () => {
    child.kill('SIGKILL')
    await eventually(10, 'the server is gone', () => child.signalCode ?? undefined)
    rmSync(socketPath)
    child = spawnServer(socketPath)
    await started()
  }
  return { url: `${site.origin}/mcp`, restart }
}

const spawnServer = (socketPath: string) =>
  spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PORT: socketPath },
    stdio: ['ignore', 'ignore', 'pipe'],
  })

function forward(request: IncomingMessage, response: ServerResponse, socketPath: string): void {
  const { method, url: path, headers } = request
  const onward = ask({ socketPath, agent: false, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  // The server may respond to the head and close the connection, which would fail the write of a body that comes later.
  buffer(request).then(
    (body) => onward.end(body),
    () => onward.destroy(),
  )
}

test('the reference server is listed and called, also after it was started anew', async (t) => {
  const server = await startEverything(t)
  const { list, call } = await openDialect(t)
  const { manifest } = await list(server.url)
  t.is(manifest.auth.type, 'none')
  t.is(manifest.left_out, undefined)
  const names = manifest.tools.map(({ name }) => name)
  t.true(names.includes('echo') && names.includes('get-sum'), names.join(', '))
  const sum = () => call(server.url, 'get-sum', { arguments: '{"a":2,"b":3}' })
  t.like(await sum(), { kind: 'succeeded', httpStatus: 200 })
  t.regex((await sum()).text, /\b5\b/)
  await server.restart()
  t.like(await sum(), { kind: 'succeeded' })
  const structured = await call(server.url, 'get-structured-content', { arguments: '{"location":"New York"}' })
  t.like(JSON.parse(structured.text), { conditions: 'Cloudy' })
  const picture = await call(server.url, 'get-tiny-image')
  t.regex(picture.text, /"mimeType":"image\/png","omittedCharacters":\d+/)
  t.like(await call(server.url, 'get-sum', { arguments: '{"a":"two"}' }), { kind: 'rejected' })
})

test('a tool of the reference server that only runs as a task is called, and another process follows it to its end', async (t) => {
  const server = await startEverything(t)
  const { list, call } = await openDialect(t)
  const { manifest } = await list(server.url)
  const pinned = manifest.tools.find(({ name }) => name === 'simulate-research-query')
  t.is(pinned?.job, 'required')
  const research = (more: object) =>
    call(server.url, 'simulate-research-query', { arguments: '{"topic":"ants"}', pinned, mayLast: true, ...more })
  const begun = await research({})
  if (begun.kind !== 'accepted') return t.fail(JSON.stringify(begun))
  t.is(begun.askAfter, 1)
  const { job } = begun
  // Another process, which has not opened the session.
  const other = await openDialect(t)
  const followed = () => other.call(server.url, 'simulate-research-query', { pinned, mayLast: true, job })
  const ended = await eventually(30, 'the task ends', async () => {
    const outcome = await followed()
    return outcome.kind === 'accepted' ? undefined : outcome
  })
  t.like(ended, { kind: 'succeeded' })
  return t.regex(ended.text, /Research Report: ants/)
})
