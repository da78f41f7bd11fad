// @promise site-owners
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ExecutionContext } from 'ava'
import { endRecorded } from '../../bin/local/process-record.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { testWith } from '../helpers/programs.ts'
import { ownEnvironment, ownServerOptions, sharedServers } from '../helpers/servers.ts'
import { taskQueueFor } from '../helpers/temporal.ts'
import { missingFrom } from './excerpts.ts'
import { readPages, setUpOf } from './pages.ts'

const test = testWith('python3', 'openssl', 'curl')
const root = join(import.meta.dirname, '../..')
const path = 'docs/sites/publish-tools.md'
const page = readFileSync(join(root, path), 'utf8')
/** What the pages that it needs have set up. */
const setUp = readPages('docs/sites').flatMap((one) => (one.path === path ? setUpOf(one) : []))

/** The commands of the page in their order: in which terminal, and what is typed there. */
const commands = [...page.matchAll(/^```sh first hour(?:: (\w+))?\n([^]*?)^```$/gm)].map(
  ([, terminal = 'own', text = '']) => ({ terminal, text }),
)

/** The part of the tour that README.md prints: the block without a language. */
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const [, printedTour = ''] = /^```\n(━━[^]*?)^```$/m.exec(readme) ?? []

/** A fresh checkout: the code of this one, and nothing that was ever made in it. */
function checkout(): string {
  const place = ownServerOptions().folder
  const code = readdirSync(root).filter((name) => !name.startsWith('.') && name !== 'my-site')
  for (const name of code) symlinkSync(join(root, name), join(place, name))
  return place
}

type Terminal = ReturnType<typeof openTerminal>

/** A shell in a process group of its own, ended with the test as by Ctrl-C. */
function openTerminal(t: ExecutionContext, cwd: string, env: Record<string, string>) {
  const child = spawn('bash', [], { cwd, env, detached: true })
  const closed = once(child, 'close')
  t.teardown(async () => {
    process.kill(-child.pid!, 'SIGINT')
    child.stdin.end()
    await closed
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', (line) => lines.push(line))
  const text = () => lines.join('\n')
  const type = (command: string) => void child.stdin.write(`${command}\n`)
  const shows = async (what: RegExp, since = 0): Promise<RegExpExecArray> => {
    try {
      return await eventually(120, `${what} is shown`, () => what.exec(lines.slice(since).join('\n')) ?? undefined)
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${text()}`, { cause: error })
    }
  }
  return {
    type,
    shows,
    /** Types the commands, and returns what they print. Fails unless the last one succeeds. */
    async run(commands: string): Promise<string> {
      const since = lines.length
      type(`${commands}\nprintf '\\nended with %s\\n' $?`)
      const [shown, code] = await shows(/^[^]*\nended with (\d+)$/m, since)
      if (code !== '0') throw new Error(`${commands}\n${shown}`)
      return shown
    },
  }
}

test('by the commands of the page a site owner makes a certificate, starts a site, connects and calls it', async (t) => {
  const [api = 0, site = 0, ...others] = await freePorts(7)
  const place = checkout()
  const records = join(place, '.data', 'processes')
  t.teardown(() => endRecorded(records))
  // Its own Postgres and Temporal would prove nothing here; the tests of `npm start` start them.
  const env = {
    ...ownEnvironment(),
    PORT: String(api),
    SITE_PORTS: others.slice(0, 4).join(','),
    DEAD_SITE_PORT: String(others[4]),
    DATABASE_URL: (await createTestDatabase(t)).url,
    TEMPORAL_ADDRESS: sharedServers().temporal,
    TASK_QUEUE: taskQueueFor(t),
  }
  const here = (text: string) => text.replaceAll('4501', String(site)).replaceAll(':3000', `:${api}`)
  const terminals = new Map<string, Terminal>()
  const open = (name: string) => terminals.get(name) ?? openTerminal(t, place, env)
  const ready: Record<string, RegExp> = { site: /A token for visitor/, platform: /Ctrl-C stops everything\./ }

  const shown: string[] = []
  for (const { terminal, text } of commands) {
    const one = open(terminal)
    terminals.set(terminal, one)
    const isReady = ready[terminal]
    // The reader has an account from the first pages of the guide.
    if (text.startsWith('. .data/api.sh')) for (const block of setUp) await one.run(here(block))
    if (!isReady) shown.push(await one.run(here(text)))
    else {
      one.type(here(text))
      await one.shows(isReady)
    }
  }
  t.deepEqual(
    commands.map(({ terminal }) => terminal),
    ['own', 'site', 'own', 'platform', 'own', 'own'],
  )
  t.regex(shown[2] ?? '', / passed, 0 failed, /)
  t.regex(shown[3] ?? '', /^Fern\n\{\n  "callId": [^]*"millilitres": 1200,\n    "watered_by": "gardener"/m)
  await open('site').shows(/^POST \/api\/tools\/water_plant 200$/m)
  // The example sites are still trusted and allowed.
  const tour = await open('own').run('npm run -s tour')
  t.regex(tour, /That was the tour\./)
  t.is(missingFrom(tour, printedTour), undefined, 'README.md has a line that the tour does not print there')
  const eventsIn = (text: string) => text.match(/^#\d+ [\w.]+/gm)
  t.deepEqual(eventsIn(tour), eventsIn(printedTour), 'README.md has every event')
})
