import { fileURLToPath } from 'node:url'
import test from 'ava'
import { readHouse, readSource } from '../house/source.ts'
import { rulesIn, testsWithoutRule } from './rules.ts'

const house = Object.entries({
  'test/helpers/servers.ts': 'export const door = 1',
  'src/runs/rule.ts': 'export const rule = 1',
  'test/src/runs/rule.test.ts': "import { rule } from '../../../src/runs/rule.ts'",
  'src/runs/stored.ts': 'export const stored = 1',
  'test/src/runs/stored.test.ts': "import { door } from '../../helpers/servers.ts'",
  'src/runs/untested.ts': 'export const untested = 1',
  'src/models/fence.ts': 'export const fence = 1',
  'test/src/models/fence.test.ts': "import { fence } from '../../../src/models/fence.ts'",
}).map(([path, text]) => readSource(path, text))

const rule = { path: 'src/runs/rule.ts', test: 'test/src/runs/rule.test.ts' }
const fence = { path: 'src/models/fence.ts', test: 'test/src/models/fence.test.ts' }

test('a rule is a file with a test of its own that needs no server', (t) => {
  t.deepEqual(rulesIn(house, []), [rule])
  t.deepEqual(rulesIn(house, ['runs/']), [rule])
})

test('parts of paths select rules anywhere', (t) => {
  t.deepEqual(rulesIn(house, ['fence']), [fence])
  t.deepEqual(rulesIn(house, ['nothing']), [])
})

test('a test that is not named after its rule is found', (t) => {
  t.deepEqual(testsWithoutRule(house), [])
  const renamed = house.filter(({ path }) => path !== rule.path)
  t.deepEqual(testsWithoutRule(renamed), [rule.test])
})

test('each test of a rule is named after it', (t) => {
  t.deepEqual(testsWithoutRule(readHouse(fileURLToPath(new URL('../..', import.meta.url)))), [])
})
