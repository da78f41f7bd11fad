// @promise order
import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { answering } from '../helpers/hostile-site.ts'
import { startGate } from '../helpers/gate.ts'
import { startHttpsSite, temporaryCertificates } from '../helpers/https-server.ts'
import { eventually } from '../helpers/eventually.ts'
import { ownEnvironment } from '../helpers/servers.ts'

const source = (path: string): string => new URL(`../../src/safe-fetch/${path}`, import.meta.url).href

/** Sends one request, as a tool call or a refresh does, and prints what became of it. */
const program = `
  const { createSafeFetch } = await import(${JSON.stringify(source('safe-fetch.ts'))})
  const { unlessStoodStill } = await import(${JSON.stringify(source('standstill.ts'))})
  const [url, caFile] = process.argv.slice(1)
  const { fetch } = createSafeFetch({ allow: ["127.0.0.0/8"], loopback: true, caFile, baseUrl: 'http://127.0.0.1', version: '0' })
  const request = { url, method: 'POST', body: '{}', timeoutMs: 60_000, maxBytes: 1000 }
  const said = await unlessStoodStill(performance.now(), () => fetch(request)).then(
    ({ status }) => ({ status }),
    ({ code, maybeSent }) => ({ code, maybeSent }),
  )
  console.log(JSON.stringify(said))`

for (const { title, forMs, expected } of [
  { title: 'sends nothing', forMs: 3000, expected: { said: { code: 'STOOD_STILL', maybeSent: false }, requests: 0 } },
  { title: 'sends its request if the pause was short', forMs: 500, expected: { said: { status: 200 }, requests: 1 } },
]) {
  test(`a process that is frozen while it connects to a site ${title}`, async (t) => {
    const site = await startHttpsSite(t, answering({}))
    const gate = await startGate(t, site.port)
    const { caFile } = await temporaryCertificates()
    gate.shut()
    const args = ['--input-type=module', '-e', program, `https://127.0.0.1:${gate.port}/`, caFile]
    const child = spawn(process.execPath, args, { env: ownEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => void child.kill('SIGKILL'))
    const output = text(child.stdout)
    await eventually(30, 'it greets', () => gate.greeted() > 0 || undefined)
    child.kill('SIGSTOP')
    gate.open()
    // The answer to its greeting waits for it.
    await eventually(10, 'the site answers', () => gate.answered() > 0 || undefined)
    await delay(forMs)
    child.kill('SIGCONT')
    t.deepEqual(JSON.parse(await output), expected.said)
    t.is(site.requests(), expected.requests)
  })
}
