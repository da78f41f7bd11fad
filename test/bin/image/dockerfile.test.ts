import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { contextOf } from '../../../bin/image/context.ts'
import { copyOf, readDockerfile, variablesOf } from '../../../bin/image/dockerfile.ts'

const root = join(import.meta.dirname, '../../..')

test('a Dockerfile is read stage by stage, without comments and with continued lines as one', (t) => {
  const text = [
    '# Two stages.',
    'FROM node:24 AS made',
    'RUN npm ci \\',
    '  # Only what the lock file names.',
    '  --ignore-scripts',
    '',
    'FROM node:24',
    'COPY --from=made /app/dist dist',
  ].join('\n')
  t.deepEqual(readDockerfile(text), [
    { from: 'node:24', name: 'made', steps: [{ name: 'RUN', text: 'npm ci --ignore-scripts' }] },
    { from: 'node:24', name: undefined, steps: [{ name: 'COPY', text: '--from=made /app/dist dist' }] },
  ])
  t.throws(() => readDockerfile('RUN true'), { message: /RUN before FROM/ })
})

test('a COPY names its sources, its destination and the stage, and other flags are refused', (t) => {
  t.deepEqual(copyOf('a b ./'), { from: undefined, sources: ['a', 'b'], to: './' })
  t.deepEqual(copyOf('--from=made /dist dist'), { from: 'made', sources: ['/dist'], to: 'dist' })
  t.throws(() => copyOf('--chown=node a b'), { message: /not understood/ })
  t.throws(() => copyOf('a'), { message: /not understood/ })
  t.deepEqual(variablesOf('A=1 B=x=y'), { A: '1', B: 'x=y' })
})

test('the last rule of .dockerignore that names a path or a folder above it decides', (t) => {
  const isInContext = contextOf(['# none but these', '*', '!src', 'src/secret*', '!src/secrets.ts'].join('\n'))
  for (const path of ['src', 'src/a/b.ts', 'src/secrets.ts']) t.true(isInContext(path), path)
  for (const path of ['.env', 'srcs', 'src/secret/a', 'src/secret.ts', 'a/src']) t.false(isInContext(path), path)
  t.throws(() => contextOf('**/*.pem'), { message: /not understood/ })
})

test('the image gets no secrets, tests or local programs, and every folder that the Dockerfile copies', (t) => {
  const isInContext = contextOf(readFileSync(join(root, '.dockerignore'), 'utf8'))
  const kept = ['.env', '.git/config', 'secrets/vault_keys', 'config/models.json', 'node_modules/a', '.data/postgres']
  for (const path of [...kept, 'test/house.ts', 'bin/local/stack.ts', 'console/dist/a.js'])
    t.false(isInContext(path), path)
  const steps = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8')).flatMap((stage) => stage.steps)
  const copies = steps.filter(({ name }) => name === 'COPY').map(({ text }) => copyOf(text))
  const sources = copies.filter(({ from }) => from === undefined).flatMap((copy) => copy.sources)
  t.true(sources.length >= 10)
  for (const path of sources) t.true(isInContext(path), path)
})
