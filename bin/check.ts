import { fileURLToPath } from 'node:url'
import { execa } from './execa.ts'
import { chosenName } from './named-programs.ts'

/**
 * `npm run check [-- <name> [options]]`: runs the named check and exits with its code, or all checks that need no server.
 */
interface Check {
  does: string
  command: string
  /** Whether it runs without a name. */
  isQuick?: boolean
}

const browser = [
  'connect',
  'fetch',
  'chat',
  'chat-page',
  'login',
  'sign-in',
  'docs',
  'console/agents',
  'console/approvals',
  'console/catalogue',
  'console/deliveries',
  'console/everywhere',
  'console/hostile',
  'console/hostile-sites',
  'console/apps',
  'console/newcomers',
  'console/runs',
  'console/sites',
  'console/sizes',
  'console/trouble',
].map((name) => `test/browser/${name}.ts`)

const checks: Record<string, Check> = {
  format: { does: 'the formatting of all files', command: 'oxfmt --check', isQuick: true },
  lint: {
    does: 'lint with type information',
    command:
      'oxlint --type-aware src api workflows activities migrations bin check-site conformance examples bench test console',
    isQuick: true,
  },
  types: { does: 'types', command: 'tsc --checkers 1', isQuick: true },
  console: { does: 'types of the console', command: 'tsc --project console --checkers 1', isQuick: true },
  house: { does: 'the house rules: imports, names, promises', command: 'node test/house.ts', isQuick: true },
  dead: { does: 'unused files, exports and packages', command: 'knip', isQuick: true },
  browser: {
    does: 'connects a site, calls the API, chats, reads the guide and uses the console in a real browser; needs Chromium',
    command: `node bin/test.ts ${browser.join(' ')}`,
  },
  clients: { does: 'runs the tour with generated clients in TypeScript and Python', command: 'node bin/clients.ts' },
  image: {
    does: 'runs the steps of the Dockerfile in an empty root and tries the result; needs Linux, root and mmdebstrap',
    command: 'node bin/image.ts',
  },
  schemathesis: { does: 'fuzzes the API with its OpenAPI document', command: 'node bin/schemathesis.ts' },
}

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Linter and compiler are written in Go, whose garbage collector took a fifth of their time (`npm run check -- lint`).
 * Several checkers of one compiler check the same types again, and the other checks have use for the processors.
 */
const env = { GOGC: 'off', GOMEMLIMIT: '4GiB' }

const start = ({ command }: Check, given: string[], stdio: 'inherit' | 'pipe') => {
  const [program = '', ...words] = command.split(' ')
  return execa(program, [...words, ...given], { cwd: root, env, preferLocal: true, stdio, all: true, reject: false })
}

if (process.argv.length > 2) {
  const name = chosenName('check', Object.fromEntries(Object.entries(checks).map(([key, { does }]) => [key, does])))
  const running = start(checks[name]!, process.argv.slice(3), 'inherit')
  // A check that is interrupted clears up before it ends. Ctrl-C reaches it without us.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => running.kill('SIGTERM'))
  process.exitCode = (await running).exitCode ?? 1
} else {
  // Together, because most of them use one processor. Each prints when it has ended.
  const quick = Object.values(checks).filter(({ isQuick }) => isQuick)
  const ended = quick.map(async (check) => {
    const { all, exitCode } = await start(check, [], 'pipe')
    console.log(`── ${check.does}\n${all}`)
    return exitCode === 0
  })
  process.exitCode = (await Promise.all(ended)).every(Boolean) ? 0 : 1
}
