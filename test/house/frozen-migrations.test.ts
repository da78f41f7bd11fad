import test from 'ava'
import { checkFrozenMigrations, withNewMigrations } from './frozen-migrations.ts'
import { readSource } from './source.ts'

const users = (text: string) => readSource('migrations/baseline/users.ts', text)
const marks = readSource('migrations/209901010000-marks.ts', "export const name = '209901010000-marks'")
const sql = 'export const users = `create table users (id uuid)`\n'

function freeze(files: ReturnType<typeof readSource>[], before = new Map<string, string>()) {
  const lines = withNewMigrations(files, before).trimEnd().split('\n')
  return new Map(lines.map((line) => line.split('  ').toReversed() as [string, string]))
}
const frozen = freeze([users(sql)])

test('a frozen migration may change its comments and layout, and nothing else', (t) => {
  const commented = `/** Of people. */\n${sql.replace('users (', 'users -- made here\n (')}// the end\n`
  t.deepEqual(checkFrozenMigrations([users(commented)], frozen), [])
  const [changed, ...others] = checkFrozenMigrations([users(sql.replace('uuid', 'text'))], frozen)
  t.regex(changed?.problem ?? '', /has changed since it was frozen.*Add a new migration/)
  t.deepEqual(others, [])
})

test('a frozen migration that is gone and a new one that is not frozen are named', (t) => {
  const found = checkFrozenMigrations([marks], frozen)
  t.deepEqual(
    found.map(({ path }) => path),
    ['migrations/baseline/users.ts', 'migrations/209901010000-marks.ts'],
  )
})

test('freezing adds new migrations and never changes a line', (t) => {
  const changed = users(sql.replace('uuid', 'text'))
  const after = freeze([changed, marks], frozen)
  t.deepEqual([...after.keys()], ['migrations/209901010000-marks.ts', 'migrations/baseline/users.ts'])
  t.is(checkFrozenMigrations([changed, marks], after).length, 1)
  t.deepEqual(checkFrozenMigrations([users(sql), marks], after), [])
})
