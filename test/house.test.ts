import { fileURLToPath } from 'node:url'
import test from 'ava'
import { rules } from './house/rules.ts'
import { readHouse, readSource } from './house/source.ts'

const house = readHouse(fileURLToPath(new URL('..', import.meta.url)))

test('the whole house is read', (t) => {
  t.true(house.length > 200)
  t.true(house.some(({ path }) => path.startsWith('src/config/')))
})

/** One made-up file each (or several), whose first one breaks the rule of that name. */
const violations: { rule: string; files: Record<string, string>; says: RegExp }[] = [
  imports('src/runs/made-up.ts', "import { createVault } from '../vault/vault.ts'", /src\/vault\/vault\.ts/),
  imports('src/runs/made-up.ts', "import { createServices } from '../services.ts'"),
  imports('src/runs/made-up.ts', "import type { Models } from '../models/models.ts'"),
  imports('src/chat/made-up.ts', "import { argumentSize } from '../sites/argument-size.ts'"),
  imports('src/runs/made-up.ts', "import type { agentRun } from '../../workflows/agent-run.ts'"),
  imports('src/runs/made-up.ts', "import { route } from '../../api/route.ts'"),
  imports('src/made-up.ts', "import type { Runs } from './runs/runs.ts'"),
  imports('api/made-up.ts', "import type { Activities } from '../activities/index.ts'"),
  imports('activities/made-up.ts', "import { agentRunId } from '../workflows/messages.ts'"),
  imports('workflows/made-up.ts', "import { hasEnded } from '../src/runs/states.ts'"),
  imports('workflows/made-up.ts', "import { readFile } from 'node:fs/promises'", /node:fs/),
  imports('workflows/made-up.ts', "const later = await import('../src/clock.ts')"),
  imports('check-site/made-up.ts', "import { createSites } from '../src/sites/sites.ts'"),
  imports('conformance/made-up.ts', "import { catalogue } from '../src/errors.ts'"),
  imports('examples/sites/made-up.ts', "import type { Config } from '../../src/config.ts'"),
  imports('clients/made-up.ts', "import type { AnyRoute } from '../api/route/route.ts'"),
  imports('console/made-up.ts', "import type { Run } from '../src/runs/run.ts'"),
  imports('console/made-up.ts', "import { readFile } from 'node:fs/promises'"),
  imports('migrations/made-up.ts', "import { createDatabase } from '../src/database/database.ts'"),
  ofDialects('src/vault/made-up.ts', "import type { ReadManifest } from '../sites/dialects/manifest/in-thread.ts'"),
  ofDialects('src/sites/made-up.ts', "import { maxTools } from './dialects/manifest/manifest-shape.ts'"),
  ofDialects('src/vault/made-up.ts', "import { openSession } from '../sites/dialects/mcp/session.ts'"),
  ofDialects('src/sites/dialects/made/up.ts', "import { maxTools } from '../manifest/manifest-shape.ts'"),
  confined('test/made-up.test.ts', "execFileSync('promtool', ['check'])"),
  confined('src/made-up.ts', "const level = process.env['LOG_LEVEL']"),
  confined('src/made-up.ts', 'const leaseUntil = later(new Date(), 10)'),
  confined('src/made-up.ts', "import Koa from 'koa'"),
  confined('src/runs/made-up.ts', "import type { WorkflowHandle } from '@temporalio/client'"),
  confined('src/tools/made-up.ts', "import ky from 'ky'"),
  confined('src/sites/made-up.ts', "import { Client } from '@modelcontextprotocol/client'"),
  confined('src/vault/made-up.ts', "const isForeign = dialect !== 'manifest'"),
  confined('migrations/made-up.ts', "export const allowed = ['mcp']"),
  {
    rule: 'no files import each other in a circle',
    files: {
      'src/a.ts': "import { b } from './b.ts'",
      'src/b.ts': "export { c } from './c.ts'",
      'src/c.ts': "import type { A } from './a.ts'",
    },
    says: /src\/a\.ts → src\/b\.ts → src\/c\.ts → src\/a\.ts/,
  },
  {
    rule: 'the rooms of a noun import each other one way',
    files: {
      'src/runs/a/one.ts': "import { two } from '../b/two.ts'",
      'src/runs/b/three.ts': "import type { One } from '../a/one.ts'",
    },
    says: /src\/runs\/a → src\/runs\/b → src\/runs\/a/,
  },
  drawer('src/utils/text.ts'),
  {
    rule: 'a merged migration never changes',
    files: { 'migrations/baseline/users.ts': 'export const users = `create table users (id uuid)`' },
    says: /has changed since it was frozen/,
  },
  {
    rule: 'migrations only add',
    files: { 'migrations/209901010000-made-up.ts': 'export const up = (knex) => knex.raw(`drop table users`)' },
    says: /has the statement "drop table users": the previous release may still use it/,
  },
  {
    rule: 'no test asks ava for more time than all tests have',
    files: { 'test/made-up.test.ts': ['t.timeout', '(300_001)'].join('') },
    says: /300_001/,
  },
  {
    rule: 'files can be read in one sitting',
    files: { 'src/made-up.ts': 'const one = 1\n'.repeat(301) },
    says: /301 lines/,
  },
  ...['const run = answer as Run', 'const run: any = answer', 'const { id } = answer!.run'].map((code) => ({
    rule: 'programs with generated clients neither cast nor give up types',
    files: { 'clients/made-up.ts': code },
    says: /has a cast, an any or a non-null assertion/,
  })),
  {
    rule: 'the image has the packages that it uses, and no others',
    files: { 'bin/api.ts': "import { execa } from 'execa'" },
    says: /execa/,
  },
  ...['skip', 'failing', 'serial.only'].map((how) => leftOut('test', how)),
  leftOut('t', 'throws.skip'),
  cites('/** The limits of runs (docs/specification.md, "Limits of runs"). */'),
  cites(['const one = 1 /', '/ see docs/plan.md'].join('')),
  cites('// What a site publishes (specification,\n// "Manifest"), and what\n// comes of it.'),
  ofConsole('no screen of the console imports another', "import { Row } from '../runs/Row.tsx'"),
  {
    rule: 'the design of the console knows nothing of the API',
    files: { 'console/design/MadeUp.tsx': "import type { Api } from '../api/client.ts'" },
    says: /api\/client/,
  },
  {
    rule: 'what the console computes needs no React',
    files: { 'console/screens/home/made-up.ts': "import { useState } from 'react'" },
    says: /imports react/,
  },
  {
    rule: 'what the console computes has a test',
    files: { 'console/screens/home/made-up.ts': '' },
    says: /has no test/,
  },
  ofConsole('effects of the console are for the browser', 'useEffect(() => setShown(value), [value])'),
  ofConsole('the console makes no markup from text', '<p dangerouslySetInnerHTML={{ __html: name }} />'),
  ofConsole('the console has one way to send requests', "await fetch('/runs')"),
  ofConsole('every address of the console has a name', "navigate({ to: '/w/me' })"),
  ofConsole('every address of the console has a name', '<Link to="/forgot">'),
  ...['color: #fff;', 'background: rgb(0 0 0 / 40%);', 'border: 1px solid gray;'].map((line) => ({
    rule: 'every colour of the console is a token',
    files: { 'console/screens/home/MadeUp.module.css': `.made {\n  ${line}\n}\n` },
    says: /has the colour/,
  })),
  ofConsole('files of the console are short', 'const one = 1\n'.repeat(201)),
]

for (const [index, { rule, files, says }] of violations.entries()) {
  test(`a made-up violation is caught: ${rule} (${index + 1})`, (t) => {
    const made = Object.entries(files).map(([path, text]) => readSource(path, text))
    const others = house.filter(({ path }) => !(path in files))
    const everywhere = rules.find(({ name }) => name === rule)?.check([...made, ...others]) ?? []
    const found = everywhere.filter(({ path }) => path in files)
    t.is(found.length, 1)
    t.like(found[0], { path: Object.keys(files)[0] })
    t.regex(found[0]?.problem ?? '', says)
  })
}

const allowed: Record<string, string> = {
  'src/runs/made-up.ts': `
// console.log and process.env are fine in comments, and so are docs/specification.md, "Run" and docs/decisions/0002
import { MadeUpRow } from '../tools/made-up-row.ts'
import { madeUpRule } from '../schedules/made-up-rule.ts'
import type { Vault } from '../vault/vault.ts'
import { type Trigger, type Move } from '../../workflows/messages.ts'
import { CodedError } from '../errors.ts'
`,
  'src/tools/made-up-row.ts': 'export class MadeUpRow extends Row {}',
  'src/schedules/made-up-rule.ts': 'export const madeUpRule = 1',
  'workflows/made-up.ts': `
import {
  condition,
  sleep,
} from '@temporalio/workflow'
import type { Services } from '../src/services.ts'
import { agentRunId } from './messages.ts'
`,
  'console/screens/home/MadeUp.tsx': `
import { useState } from 'react'
import { to } from '../../addresses.ts'
import styles from './MadeUp.module.css'
const link = <Link {...to.home('me')} hash="#content" className={styles.made}>{names.map((name) => name)}</Link>
`,
  'console/screens/home/MadeUp.module.css': '.made {\n  color: var(--text);\n  white-space: pre;\n}\n',
  'bin/made-up.ts': "import { Client } from '@temporalio/client'\nconsole.log(Client)",
  'test/helpers/utils.ts': '',
}

test('what is allowed is not reported', (t) => {
  const made = Object.entries(allowed).map(([path, text]) => readSource(path, text))
  for (const { name, check } of rules) {
    const found = check([...made, ...house]).filter(({ path }) => path in allowed)
    t.deepEqual(found, [], name)
  }
})

function imports(path: string, code: string, says = /imports/) {
  return { rule: 'each folder imports only what it may', files: { [path]: code }, says }
}

function ofDialects(path: string, code: string) {
  return { rule: 'only the registry knows the dialects of sites', files: { [path]: code }, says: /use the dialect/ }
}

function confined(path: string, code: string) {
  return { rule: 'what belongs in one place stays there', files: { [path]: code }, says: /belongs in/ }
}

function ofConsole(rule: string, code: string) {
  return { rule, files: { 'console/screens/home/MadeUp.tsx': code }, says: /./ }
}

function drawer(path: string) {
  return { rule: 'there is no drawer for odds and ends', files: { [path]: '' }, says: /utils, common or helpers/ }
}

function cites(comment: string) {
  return {
    rule: 'what pages and comments cite is in the repository',
    files: { 'src/made-up.ts': comment },
    says: /^cites /,
  }
}

function leftOut(what: string, how: string) {
  const code = `${what}.${how}('a promise holds')`
  return { rule: 'no test is left out', files: { 'test/made-up.test.ts': code }, says: /has a test with \.\w+;/ }
}
