import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { freePortAfter, freePorts, portProblems } from '../../../bin/local/ports.ts'
import { ownEnvironment } from '../../helpers/servers.ts'

const file = fileURLToPath(new URL('../../../bin/local/ports.ts', import.meta.url))

test('processes that ask at the same time get different ports', async (t) => {
  const few = { from: 19_000, to: 19_060 }
  const ask = `import { freePorts } from ${JSON.stringify(file)}
    process.stdout.end(JSON.stringify(await freePorts(20, ${JSON.stringify(few)})))
    process.stdin.resume()`
  const others = [1, 2].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', ask], { env: ownEnvironment() }),
  )
  t.teardown(() => others.forEach(({ stdin }) => stdin.end()))
  const given = await Promise.all([freePorts(20, few), ...others.map(({ stdout }) => json(stdout))])
  t.is(new Set(given.flat()).size, 60)
})

test('a needed port that is taken, or needed twice, is named with its variable', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const { port: free } = gone.address() as AddressInfo
  await once(gone.close(), 'close')
  const problems = await portProblems([
    { port, use: 'the API', variable: 'PORT' },
    { port: free, use: 'Postgres', variable: 'POSTGRES_PORT' },
    { port: free, use: 'a site', variable: 'SITE_PORTS' },
  ])
  t.is(problems.length, 2)
  t.regex(problems[0] ?? '', /is taken.*\bPORT\b/)
  t.regex(problems[1] ?? '', /POSTGRES_PORT.*SITE_PORTS/)
})

test('a port after another one is none that is needed later, or that another process was given', async (t) => {
  const first = await freePortAfter(18_500, { needed: [] })
  const second = await freePortAfter(18_500, { needed: [first] })
  t.true(second > first && second <= 18_600)
  const [given = 0] = await freePorts(1, { from: second + 1, to: second + 2 })
  t.not(await freePortAfter(given - 1, { needed: [] }), given)
})
