import { checkAdditiveMigrations } from './additive-migrations.ts'
import { checkCitations } from './citations.ts'
import { consoleRules } from './console.ts'
import { findCycles, findRoomCycles } from './cycles.ts'
import { checkDependencies } from './dependencies.ts'
import { checkFrozenMigrations } from './frozen-migrations.ts'
import { checkStrayNames } from './stray-names.ts'
import { checkMergeMarks } from './merge-marks.ts'
import { checkPlainWords } from './plain-words.ts'
import { checkPromises } from './promises.ts'
import { adapterProblem, importProblem, sharedFiles } from './who-may-import-whom.ts'
import { isTest, type SourceFile } from './source.ts'

interface Violation {
  path: string
  problem: string
}

/** A rule of the repository: its sentence, and the check that finds violations. */
export interface Rule {
  name: string
  check: (files: SourceFile[]) => Violation[]
}

/** Code or packages that are allowed in few places only. */
const confined: { what: string; code?: RegExp; packages?: string[]; allowed: RegExp; where: string }[] = [
  {
    what: 'the environment',
    code: /\bprocess\s*\.\s*env\b/,
    allowed:
      /^(src\/config\/|test\/(helpers|bin\/placeholders)\/|test\/(house\.test|src\/threads\/work|src\/models\/adapters\.test)\.ts$)/,
    where: 'src/config/',
  },
  {
    // Another process may compare the time. The rest are deadlines within a process, and times of other clocks.
    what: "the machine's clock",
    code: /\bnew Date\(\)|\bDate\.now\(\)/,
    allowed:
      /^(?!(src|api|activities)\/)|^src\/(clock|rate-limit|database\/follow-clock|sign-in\/keys|safe-fetch\/retry-after|temporal\/\w+)\.ts$/,
    where: 'src/clock.ts; take the time from a Clock',
  },
  {
    // Tests share a process: while it waits, Postgres ends the transactions of the others after five seconds.
    what: 'waiting for another program without letting other tests run',
    code: /\b(?:execFileSync|execSync|spawnSync)\b/,
    allowed:
      /^(?!test\/)|\.slow\.ts$|^test\/(helpers\/|house|console\/curl\.test|bin\/(compose|local\/private-folder)\.test)/,
    where: 'helpers that only look for a program',
  },
  {
    what: 'Koa',
    packages: ['koa', '@koa/router', 'koa-body'],
    allowed: /^(api|examples|bin\/mcp-server)\//,
    where: 'api/ and examples/; bin/mcp-server/ serves as the API does',
  },
  {
    what: "Koa's query, whose reading takes the square of its length",
    code: /\bctx\s*(?:\.\s*request\s*)?\.\s*query\b/,
    allowed: /^examples\//,
    where: 'no file; a route declares its query',
  },
  {
    what: 'the Temporal client',
    packages: ['@temporalio/client'],
    allowed: /^(src\/temporal\/|(bin|bench|test)\/)/,
    where: 'src/temporal/, bin/ and bench/',
  },
  {
    what: 'the stripe package',
    packages: ['stripe'],
    allowed: /^(src\/billing\/gateways\/stripe\/|test\/)/,
    where: 'src/billing/gateways/stripe/',
  },
  {
    what: 'the name of a dialect',
    code: /(['"])(?:mcp|openapi)\1|\bdialect\w*\s*[!=]==\s*['"]/,
    allowed: /^(src\/sites\/dialects|bin|test)\//,
    where: 'src/sites/dialects/',
  },
  {
    what: 'the MCP client',
    packages: ['@modelcontextprotocol/client'],
    allowed: /^(src\/sites\/dialects\/mcp|test\/crash\/mcp-calls)\/|^test\/helpers\/(?:mcp-clients|app-sign-in)\.ts$/,
    where: 'src/sites/dialects/mcp/; test/crash/mcp-calls/, test/helpers/mcp-clients.ts and app-sign-in.ts are clients',
  },
  {
    what: 'the MCP server',
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/node'],
    allowed: /^(api\/mcp|bin\/mcp-server|test)\//,
    where: 'api/mcp/; bin/mcp-server/ and test/ have servers of their own',
  },
  {
    what: 'ky or undici',
    packages: ['ky', 'undici'],
    allowed: /^(src\/(safe-fetch|models\/providers)|conformance|test\/helpers)\//,
    where: 'src/safe-fetch/, and for AI providers src/models/providers/; test/helpers/ and conformance/ are clients',
  },
]

/** Files that may be long, because they are tables of data. */
const tables = new Set(['test/models/odd-answers.ts', 'test/models/more-odd-answers.ts'])
const mostLines = 300
/** In milliseconds; ava.config.js. */
const avaTimeout = 300_000

export const rules: Rule[] = [
  { name: 'each folder imports only what it may', check: checkImports },
  {
    name: 'only the registry knows the dialects of sites',
    check: eachImport((entry, { path }) => adapterProblem(path, entry)),
  },
  { name: 'what belongs in one place stays there', check: checkConfined },
  { name: 'no files import each other in a circle', check: (files) => findCycles(files) },
  { name: 'the rooms of a noun import each other one way', check: (files) => findRoomCycles(files) },
  {
    name: 'there is no drawer for odds and ends',
    check: each(({ path }) =>
      !path.startsWith('test/') && /(^|\/)(utils?|common|helpers?)(\/|\.ts$)/.test(path)
        ? 'is named utils, common or helpers; name it after what it does'
        : undefined,
    ),
  },
  {
    name: 'files can be read in one sitting',
    check: each(({ path, lines }) =>
      // A test file is a list of cases, and may have any length.
      lines > mostLines && !isTest(path) && !tables.has(path)
        ? `has ${lines} lines, more than ${mostLines}; find the two things in it`
        : undefined,
    ),
  },
  {
    name: 'no test is left out',
    check: each(({ code, path }) => {
      // A test that needs Python or OpenSSL is listed as skipped where they are missing.
      if (path === 'test/helpers/programs.ts' || path === 'test/run/in-turns.ts') return undefined
      const how = /\b(?:test|t)(?:\.\w+)*\.(skip|todo|failing|only)\b/.exec(code)?.[1]
      return how !== undefined ? `has a test with .${how}; have it run like all others, or remove it` : undefined
    }),
  },
  {
    // ava checks its own timeout only once: if a test has requested more time by then, ava waits forever for a test
    // that hangs.
    name: 'no test asks ava for more time than all tests have',
    check: each(({ path, code }) => {
      const [, asked = '0'] = /\bt\.timeout\(([\d_]+)/.exec(code) ?? []
      return isTest(path) && Number(asked.replaceAll('_', '')) > avaTimeout
        ? `asks for ${asked} ms, more than ${avaTimeout}`
        : undefined
    }),
  },
  {
    // They prove that the OpenAPI document is precise enough.
    name: 'programs with generated clients neither cast nor give up types',
    check: each(({ path, code }) =>
      path.startsWith('clients/') && /\bas (?!const\b)|\bany\b|@ts-|[\w)\]]!(?!=)/.test(code)
        ? 'has a cast, an any or a non-null assertion'
        : undefined,
    ),
  },
  { name: 'the image has the packages that it uses, and no others', check: checkDependencies },
  { name: 'promises have tests, and tags have promises', check: checkPromises },
  { name: 'what pages and comments cite is in the repository', check: checkCitations },
  { name: 'a renamed file changes its importers, and one line of a page', check: checkStrayNames },
  { name: 'a merged migration never changes', check: (files) => checkFrozenMigrations(files) },
  { name: 'migrations only add', check: checkAdditiveMigrations },
  { name: 'no merge has left its marks', check: () => checkMergeMarks() },
  { name: 'sentences are plain', check: checkPlainWords },
  ...consoleRules,
]

function checkImports(files: SourceFile[]): Violation[] {
  const shared = sharedFiles(files)
  return eachImport((entry, { path }) => importProblem(path, entry, shared))(files)
}

function checkConfined(files: SourceFile[]): Violation[] {
  return files.flatMap(({ path, code, imports }) =>
    confined
      .filter(({ allowed }) => !allowed.test(path))
      .filter((one) => one.code?.test(code) || imports.some(({ target }) => one.packages?.includes(target)))
      .map(({ what, where }) => ({ path, problem: `uses ${what}, which belongs in ${where}` })),
  )
}

function each(problemOf: (file: SourceFile) => string | undefined): Rule['check'] {
  return (files) => files.flatMap((file) => violation(file.path, problemOf(file)))
}

function eachImport(
  problemOf: (entry: SourceFile['imports'][number], file: SourceFile) => string | undefined,
): Rule['check'] {
  return (files) =>
    files.flatMap((file) => file.imports.flatMap((entry) => violation(file.path, problemOf(entry, file))))
}

const violation = (path: string, problem: string | undefined): Violation[] =>
  problem === undefined ? [] : [{ path, problem }]
