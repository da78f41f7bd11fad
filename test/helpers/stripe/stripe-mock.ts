import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { Agent, fetch } from 'undici'
import { underLock } from '../../../bin/local/lock.ts'
import { eventually } from '../eventually.ts'
import { ownEnvironment, ownFolder } from '../servers.ts'
import type { Recorded } from './double.ts'

/** The version of stripe-mock, the same as in tools/stripe-mock/go.mod. */
const version = '0.203.0'

const sources = join(import.meta.dirname, '../../../tools/stripe-mock')

/**
 * The program stripe-mock from the cache, or built once per machine from Go modules, which takes seconds. Returns a
 * sentence if it cannot be built.
 */
async function findStripeMock(environment: Record<string, string>): Promise<{ binary: string } | { problem: string }> {
  const folder = join(
    environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    'switchyard',
    `stripe-mock-${version}`,
  )
  const binary = join(folder, 'stripe-mock')
  if (existsSync(binary)) return { binary }
  if (spawnSync('go', ['version'], { env: environment }).status !== 0) return { problem: 'Go is not installed' }
  mkdirSync(folder, { recursive: true })
  return underLock(
    join(folder, 'lock'),
    () => undefined,
    async () => {
      if (existsSync(binary)) return { binary }
      const args = ['build', '-buildvcs=false', '-o', `${binary}.building`, 'github.com/stripe/stripe-mock']
      const build = spawn('go', args, { cwd: sources, env: environment, stdio: 'ignore' })
      const [code] = await once(build, 'exit')
      if (code !== 0) return { problem: 'its Go modules could not be had' }
      renameSync(`${binary}.building`, binary)
      return { binary }
    },
  )
}

/**
 * Starts stripe-mock, which validates requests against Stripe's own description of its API. Returns a function that
 * returns the reason for a rejection, or undefined. Returns a sentence if stripe-mock is not available.
 */
async function startJudge(t: ExecutionContext) {
  const environment = ownEnvironment()
  const found = await findStripeMock(environment)
  if ('problem' in found) return found
  // A free port may be taken by another process a moment later; a Unix socket of our own may not.
  const socketPath = join(ownFolder(), 'stripe-mock.sock')
  // It also rejects requests for another version than that of its description.
  const args = ['-http-unix', socketPath, '-strict-version-check']
  const child = spawn(found.binary, args, { env: environment, stdio: 'ignore' })
  t.teardown(() => void child.kill())
  const dispatcher = new Agent({ connect: { socketPath } })
  t.teardown(() => dispatcher.close())
  await eventually(60, 'stripe-mock answers', () =>
    fetch('http://stripe-mock/', { dispatcher }).then(
      () => true,
      () => undefined,
    ),
  )
  return { problemOf: (request: Recorded) => problemOf(dispatcher, request) }
}

/**
 * Asserts that stripe-mock rejects none of these requests, that they are of at least this many kinds, and that it does
 * reject bad ones. Without Go, logs that this was skipped.
 */
export async function assertValid(t: ExecutionContext, requests: readonly Recorded[], kinds: number): Promise<void> {
  const judge = await startJudge(t)
  if ('problem' in judge) {
    t.log(`Skipped, because there is no stripe-mock: ${judge.problem}.`)
    t.pass()
    return
  }
  const different = new Map(requests.map((request) => [shapeOf(request), request]))
  t.true(different.size >= kinds, `${requests.length} requests of ${different.size} kinds`)
  for (const request of different.values()) t.is(await judge.problemOf(request), undefined)
  const wrong = { ...requests[0]!, method: 'POST', path: '/v1/customers', body: 'nonsense=1' }
  t.regex((await judge.problemOf(wrong)) ?? '', /nonsense/, 'it judges')
}

/** A request without the parts that differ each time. */
const shapeOf = ({ method, path, body }: Recorded): string =>
  `${method} ${path} ${body}`.replaceAll(/[\w-]*\d[\w-]*/g, '#')

async function problemOf(
  dispatcher: Agent,
  { method, path, body, version: of }: Recorded,
): Promise<string | undefined> {
  const headers = {
    authorization: 'Bearer sk_test_123',
    'content-type': 'application/x-www-form-urlencoded',
    ...(of !== null && { 'stripe-version': of }),
  }
  const answer = await fetch(`http://stripe-mock${path}`, { dispatcher, method, headers, ...(body !== '' && { body }) })
  return answer.ok ? undefined : `${method} ${path} ${body}: ${answer.status} ${await answer.text()}`
}
