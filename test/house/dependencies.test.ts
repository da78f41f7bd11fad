import test from 'ava'
import { misplaced } from './dependencies.ts'
import { readSource } from './source.ts'

const files = [
  readSource(
    'bin/api.ts',
    "import Koa from 'koa'\nimport { run } from '../src/run.ts'\nimport type { Test } from 'ava'",
  ),
  readSource('src/run.ts', "export const run = () => import('nodemailer')"),
  readSource('bin/start.ts', "import { execa } from 'execa'"),
]

test('what the image loads is a dependency, and nothing else is', (t) => {
  const dependencies = { koa: '1', nodemailer: '1', zod: '1' }
  t.deepEqual(misplaced(files, { dependencies, devDependencies: { execa: '1', ava: '1' } }), [])
})

test('a package that the image loads and does not have is found, and one that it has for nothing', (t) => {
  const found = misplaced(files, { dependencies: { koa: '1', execa: '1' }, devDependencies: { nodemailer: '1' } })
  t.deepEqual(
    found.map(({ path }) => path),
    ['src/run.ts', 'package.json'],
  )
})
