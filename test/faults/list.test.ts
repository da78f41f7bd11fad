import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { plant, problemsOf } from './fault.ts'
import { faults } from './index.ts'

const root = join(import.meta.dirname, '../..')

test('every fault of the list can be planted, and names tests that are there', (t) => {
  t.deepEqual([...problemsOf(faults, (path) => existsSync(join(root, path))).values()], [])
  for (const fault of faults) {
    t.notThrows(() => plant(readFileSync(join(root, fault.file), 'utf8'), fault), fault.id)
  }
})

test('no edit is listed twice', (t) => {
  const edits = faults.map(({ file, find, replace }) => JSON.stringify([file, find, replace]))
  t.deepEqual(
    edits.filter((edit, index) => edits.indexOf(edit) !== index),
    [],
  )
})
