import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { execa } from './execa.ts'
import { withOwnStart } from './local/own-start.ts'
import { pythonPackages } from './local/python.ts'
import { makeOwner, signInAdmin, type Caller } from './schemathesis/callers.ts'

/**
 * `npm run check -- schemathesis [--seconds 60 --seed 1]`: Schemathesis (https://schemathesis.io) sends valid and
 * invalid requests from `/openapi.json` to its own `npm start`: without a token, as an account with one resource of
 * each kind, and as an admin. Fails on an undocumented 5xx, status, header, content type or body. All rounds together
 * take the given seconds. Without Python or its packages, it says so and does nothing.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** Limits are tested elsewhere. Here they would hide the routes' own responses. */
const settings = {
  RATE_LIMIT_PER_MINUTE: '1000000',
  RATE_LIMIT_AUTH_PER_MINUTE: '1000000',
  RATE_LIMIT_BROWSER_PER_MINUTE: '1000000',
  RATE_LIMIT_RECOVERY_PER_HOUR: '1000000',
  RATE_LIMIT_TRIES_PER_HOUR: '1000000',
  RATE_LIMIT_CHANGES_PER_MINUTE: '1000000',
  RATE_LIMIT_CHANGES_PER_DAY: '1000000',
}

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

/** They would end the caller's own login. */
const ending = ['/auth/logout', '/auth/logout-everywhere', '/auth/me']

interface Round {
  name: string
  caller: Caller
  /** Options that select the operations. */
  options: string[]
  /** Its share of the time. */
  share: number
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } })
  const { seconds = '60', seed = String(Date.now() % 1_000_000) } = values
  const venv = join(root, 'node_modules/.cache/schemathesis')
  const packages = await pythonPackages(join(root, 'tools/schemathesis/requirements.txt'), venv)
  if ('problem' in packages) return console.log(`Schemathesis is skipped: ${packages.problem}`)
  await withOwnStart('schemathesis', settings, async ({ folder, ready }) => {
    const addresses = await ready
    for (const { name, caller, options, share } of roundsOf(
      await makeOwner(addresses),
      await signInAdmin(addresses, folder),
    )) {
      const time = String(Math.ceil(Number(seconds) * share))
      console.log(`\n━━ Schemathesis, ${name} (${time} s, seed ${seed})`)
      const config = join(folder, 'schemathesis.toml')
      writeFileSync(config, toToml(caller.parameters))
      const headers = Object.entries(caller.headers).flatMap(([header, value]) => ['--header', `${header}: ${value}`])
      const given = ['--max-time', time, '--seed', seed, '--checks', checks.join(','), ...options, ...headers]
      await fuzz(folder, packages.bin('schemathesis'), [
        '--config-file',
        config,
        'run',
        `${addresses.api}/openapi.json`,
        ...given,
      ])
    }
  })
}

const roundsOf = (owner: Caller, admin: Caller): Round[] => [
  { name: 'without a token', caller: { headers: {}, parameters: owner.parameters }, options: [], share: 0.3 },
  {
    name: 'as an account',
    caller: owner,
    options: [...ending.flatMap((path) => ['--exclude-path', path]), '--exclude-method', 'DELETE'],
    share: 0.4,
  },
  {
    name: 'as an account that deletes',
    caller: owner,
    options: [...ending.flatMap((path) => ['--exclude-path', path]), '--include-method', 'DELETE'],
    share: 0.15,
  },
  { name: 'as an admin', caller: admin, options: ['--include-path-regex', '^/admin/'], share: 0.15 },
]

/**
 * 502, 503 and 504 are codes of the specification for failing sites and models; other 5xx are faults of the platform.
 */
const usual = `
[auth]
auto-signup = false
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 502, 503, 504]
[parameters]`

const toToml = (parameters: Record<string, string>): string =>
  [usual, ...Object.entries(parameters).map(([name, value]) => `"path.${name}" = ${JSON.stringify(value)}`)].join('\n')

/** Throws if it finds anything. It uses one thread, because with more, Python 3.11 sometimes fails while parsing. */
async function fuzz(cwd: string, command: string, args: string[]): Promise<void> {
  const phases = ['--phases', 'examples,coverage,fuzzing', '--max-examples', '20', '--workers', '1']
  const shown = ['--continue-on-failure', '--no-color', '--warnings', 'off']
  // It writes files to its working directory.
  const { all, failed } = await execa(command, [...args, ...phases, ...shown], { cwd, all: true, reject: false })
  const summary = all.slice(all.lastIndexOf('= SUMMARY ='))
  console.log(failed ? all : summary)
  if (failed) throw new Error('Schemathesis found problems. See above.')
}

await main().catch((error: unknown) => {
  console.error(`\n${(error as Error).message}`)
  process.exitCode = 1
})
