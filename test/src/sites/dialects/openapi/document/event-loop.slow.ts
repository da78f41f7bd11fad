import test from 'ava'
import type * as inThread from '../../../../../../src/in-thread.ts'
import { createThreads } from '../../../../../../src/threads/threads.ts'
import { longestStretch } from '../../../../../helpers/cpu-stretch.ts'
import { address, minimal } from './reading.ts'

const MiB = 1024 ** 2
/** The largest document that is fetched, nearly. */
const size = 16 * MiB - 2000
/** No stranger may hold the event loop for longer, in milliseconds of processor time. */
const longest = 50
/** Nor keep a thread busy for longer than half of its deadline. */
const longestInThread = 5000

const threads = createThreads<typeof inThread>({ file: new URL('../../../../../../src/in-thread.ts', import.meta.url) })
test.after.always(() => threads.close())

/** As many units as fit into this many bytes, separated by commas. */
function filled(bytes: number, unit: (index: number) => string): string {
  const parts: string[] = []
  for (let [index, left] = [0, bytes]; left > 0; index += 1) {
    const part = unit(index)
    left -= part.length + 1
    parts.push(part)
  }
  return parts.join(',')
}

const each = (count: number, unit: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => unit(index)).join(',')

const head = JSON.stringify(minimal).slice(0, -1)
const yamlHead = `openapi: 3.1.0\ninfo: {}\nservers: [{url: "https://api.example.com"}]\n`
const withPaths = (paths: string, more = '') => `${head},"paths":{${paths}}${more}}`
/** With the schema of the only operation, and the member `w`. */
const withSchema = (schema: string, w = '{}') =>
  withPaths(
    `"/x":{"post":{"operationId":"act","requestBody":{"content":{"application/json":{"schema":${schema}}}}}}`,
    `,"w":${w}`,
  )
const manyTimes = `{"anyOf":[${each(900, () => '{"$ref":"#/w"}')}]}`
const half = size / 2
/** Words of a search that every path below almost has. */
const shown = { search: Array.from({ length: 10 }, (_, at) => `${'ab'.repeat(8)}c${at}`).join(' ') }
const values = 1_400_000
const lines = 490_000

const documents: Record<string, () => string> = {
  'a hundred thousand paths': () => withPaths(filled(size, (at) => `"/p${at}":{"get":{"operationId":"op${at}"}}`)),
  'as many values as are read': () => withPaths('', `,"x":[${each(values, () => '{}')}]`),
  'empty objects': () => withPaths('', `,"x":[${filled(size, () => '{}')}]`),
  'one id again and again': () => withPaths(filled(size, (at) => `"/${at}":{"get":{"operationId":"act"}}`)),
  'long ids': () => withPaths(filled(size, (at) => `"/${at}":{"get":{"operationId":"${'aB'.repeat(300)}"}}`)),
  'long descriptions': () => withPaths(filled(size, (at) => `"/${at}":{"get":{"summary":"${'\\u202e'.repeat(700)}"}}`)),
  'long paths, searched for what each almost has': () =>
    withPaths(filled(size, (at) => `"/${'ab'.repeat(240)}${at}":{"get":{"operationId":"op${at}"}}`)),
  'texts of other alphabets': () =>
    withPaths(filled(half, (at) => `"/${at}":{"get":{"summary":"${'Заказы'.repeat(50)}"}}`)),
  'paths of many braces': () => withPaths(filled(size, (at) => `"/${'{'.repeat(700)}${at}":{"get":{}}`)),
  'chains of paths': () =>
    withPaths(
      filled(half, (at) => `"/${at}":{"$ref":"#/w/${at}"}`),
      `,"w":{${filled(half, (at) => `"${at}":{"$ref":"#/w/${at + 1}"}`)}}`,
    ),
  'chains of bodies': () =>
    withPaths(
      filled(half, (at) => `"/${at}":{"post":{"requestBody":{"$ref":"#/w/${at}"}}}`),
      `,"w":{${filled(half, (at) => `"${at}":{"$ref":"#/w/${at + 1}"}`)}}`,
    ),
  'long references': () =>
    withPaths(filled(size, (at) => `"/${at}":{"post":{"requestBody":{"$ref":"#${'/paths'.repeat(80)}/${at}"}}}`)),
  'many requirements': () =>
    withPaths(filled(size, (at) => `"/${at}":{"get":{"security":[${each(30, (one) => `{"s${one}":["a"]}`)}]}}`)),
  'many schemes': () =>
    withPaths(
      '"/x":{"get":{"security":[{"s1":[]}]}}',
      `,"components":{"securitySchemes":{${filled(size, (at) => `"s${at}":{"type":"http","scheme":"bearer"}`)}}}`,
    ),
  'many servers': () =>
    withPaths(
      filled(
        size,
        (at) => `"/${at}":{"get":{"servers":[${each(20, (one) => `{"url":"https://${one}.example.com"}`)}]}}`,
      ),
    ),
  'many parameters': () =>
    withPaths(`"/x":{"get":{"operationId":"act","parameters":[${each(values / 2, () => '{}')}]}}`),
  'a wide schema, again and again': () =>
    withSchema(manyTimes, `{"properties":{${each(values / 2, (at) => `"p${at}":{}`)}}}`),
  'a schema of many keywords': () => withSchema(manyTimes, `{${each(values, (at) => `"k${at}":0`)}}`),
  'many names, again and again': () => withSchema(manyTimes, `{"required":[${each(values, () => '"a"')}]}`),
  'many values, again and again': () => withSchema(manyTimes, `{"enum":[${each(values, () => '"a"')}]}`),
  'a long text, again and again': () => withSchema(manyTimes, `{"description":"${'\\ud800'.repeat(size / 6 - 9999)}"}`),
  'schemas that double': () =>
    withSchema(
      '{"$ref":"#/w/0"}',
      `{${each(60, (at) => `"${at}":{"allOf":[{"$ref":"#/w/${at + 1}"},{"$ref":"#/w/${at + 1}"}]}`)}}`,
    ),
  'schemas that all refer to all': () =>
    withSchema(
      '{"$ref":"#/w/0"}',
      `{${each(300, (at) => `"${at}":{"properties":{${each(300, (to) => `"${to}":{"$ref":"#/w/${to}"}`)}}}`)}}`,
    ),
  'patterns that fold every character': () =>
    withSchema(`{"properties":{${each(900, (at) => `"${at}":{"pattern":"(?i)${'[\\u0001-\\uffff]'.repeat(28)}"}`)}}}`),
  'patterns of large repeats': () =>
    withSchema(`{"properties":{${each(900, (at) => `"${at}":{"pattern":"(.{1,900}){1,9}${at}"}`)}}}`),
  'schemas that are too deep': () => withSchema('{"not":'.repeat(9000) + '{}' + '}'.repeat(9000)),
  'YAML: as many members as are read': () =>
    `${yamlHead}x:\n${Array.from({ length: lines }, (_, at) => `  k${at}: 1\n`).join('')}`,
  'YAML: as many lists as are read': () => `${yamlHead}x: [${'[],'.repeat(lines / 2)}]`,
  'YAML: aliases of aliases': () =>
    `${yamlHead}a0: &a0 {type: object}\n${Array.from({ length: 60 }, (_, at) => `a${at + 1}: &a${at + 1} {allOf: [*a${at}, *a${at}, *a${at}]}\n`).join('')}paths: {/x: {post: {operationId: act, requestBody: {content: {application/json: {schema: *a60}}}}}}`,
  'YAML: a schema in a circle': () =>
    `${yamlHead}paths: {/x: {post: {operationId: act, requestBody: {content: {application/json: {schema: &s {properties: {a: *s}, default: &d [*d]}}}}}}}`,
  'YAML: one long text in each operation': () =>
    `${yamlHead}t: &t "${'a '.repeat(half / 2)}"\npaths:\n${Array.from({ length: 9000 }, (_, at) => `  /${at}: {get: {summary: *t}}\n`).join('')}`,
  'YAML: merges of merges': () =>
    `${yamlHead}a0: &a0 {${each(2000, (at) => `k${at}: 1`)}}\n${Array.from({ length: 3000 }, (_, at) => `a${at + 1}: &a${at + 1} {<<: *a${at}}\n`).join('')}`,
  'YAML: many short documents': () => `${yamlHead}${'---\n'.repeat(lines - 10)}`,
  'YAML: long lines of spaces': () => `${yamlHead}x:\n${`${' '.repeat(100_000)}a: b\n`.repeat(150)}`,
  'no YAML': () => `openapi swagger ${'<div class="x">a: b</div>'.repeat(size / 25)}`,
}

test.serial('no document keeps a thread busy for long, or holds the event loop up', async (t) => {
  const slow: string[] = []
  await threads.run('test', 'readDocument', { bytes: Buffer.from(''), referenced: {}, chosen: [] })
  for (const [name, make] of Object.entries(documents)) {
    const bytes = Buffer.from(make())
    let outcome = ''
    const started = process.cpuUsage()
    const ms = await longestStretch(async () => {
      outcome = await threads
        .run('test', 'readDocument', { address, bytes, referenced: {}, chosen: ['act'], shown })
        .then(
          (read) => ('offered' in read ? `offered ${read.offered.total}` : JSON.stringify(read).slice(0, 120)),
          (error: unknown) => (error as Error).message,
        )
    })
    const { user, system } = process.cpuUsage(started)
    const inAll = Math.round((user + system) / 1000)
    t.log(`${Math.round(ms)} of ${inAll} ms, ${outcome}: ${name}`)
    if (ms > longest || inAll > longestInThread) slow.push(`${name}: ${Math.round(ms)} of ${inAll}`)
  }
  t.deepEqual(slow, [])
})
