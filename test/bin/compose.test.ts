import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { CORE_SCHEMA, load as loadYaml, mergeTag } from 'js-yaml'
import { bytesOf } from '../../bin/compose.ts'
import { nodeFlags } from '../../bin/node-flags.ts'
import { readConfig } from '../../src/config/config.ts'
import { settingNames } from '../../src/config/local-config.ts'

interface Service {
  image: string
  command?: string | string[]
  read_only?: boolean
  cap_drop?: string[]
  cap_add?: string[]
  security_opt?: string[]
  secrets?: string[]
  environment?: Record<string, string>
  privileged?: boolean
  user?: string
  init?: boolean
  restart?: string
  mem_limit?: string
  volumes?: string[]
  logging?: { driver: string; options: Record<string, string> }
  depends_on?: Record<string, { condition: string }>
  healthcheck?: object
}

interface Compose {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  volumes: Record<string, unknown>
}

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const load = (text: string): unknown => loadYaml(text, { schema: CORE_SCHEMA.withTags(mergeTag) })
const { services, secrets, volumes } = load(read('docker-compose.yml')) as Compose
const names = Object.keys(services)

test('no container can gain a privilege, and only Postgres has any, those to become its user', (t) => {
  t.true(names.length >= 8)
  for (const [name, service] of Object.entries(services)) {
    t.deepEqual(service.cap_drop, ['ALL'], name)
    t.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    t.is(service.privileged, undefined, name)
    t.is(service.user, undefined, 'each image names a user of its own')
    const needed = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID']
    t.deepEqual(service.cap_add, name === 'postgres' ? needed : undefined, name)
  }
  t.regex(read('Dockerfile'), /^USER node$/m)
  const writing = names.filter((name) => services[name]?.read_only !== true)
  t.deepEqual(writing, ['temporal-ui'], 'no other writes to its own file system')
})

test('images are named by version and digest, but the one whose digest is not known', (t) => {
  const base = /^FROM (\S+)$/m.exec(read('Dockerfile'))?.[1] ?? ''
  const images = [base, ...Object.values(services).map(({ image }) => image)].filter((image) => image !== 'switchyard')
  const hasDigest = (image: string): boolean => /^[\w./-]+:\d[\w.-]+@sha256:[\da-f]{64}$/.test(image)
  t.deepEqual(
    images.filter((image) => !hasDigest(image)),
    ['temporalio/ui:2.50.1'],
  )
})

test('the image has no way to get a Temporal server, and no service or operator command in it needs one', (t) => {
  const rules = read('.dockerignore').trim().split('\n')
  t.true(rules.indexOf('bin/local') > rules.indexOf('!bin'), 'the last rule that matches decides')
  const own = Object.values(services).filter(({ image }) => image === 'switchyard')
  const started = own.flatMap(({ command }) => command?.at(-1) ?? [])
  t.deepEqual(started.toSorted(), ['bin/api.ts', 'bin/migrate.ts', 'bin/worker.ts'])
  const commands = ['bin/admin.ts', 'bin/check-site.ts']
  for (const file of withImports([...started, ...commands])) t.false(file.startsWith('bin/local/'), file)
})

test('an API and a worker get the same flags of Node from the image, from the services and from npm', (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  for (const name of ['api', 'worker']) {
    const command = ['node', ...nodeFlags, `bin/${name}.ts`]
    t.deepEqual(services[name]?.command, command)
    t.is(scripts[name], `exec ${command.join(' ')}`)
  }
  const [, inImage = ''] = /^CMD (.+)$/m.exec(read('Dockerfile')) ?? []
  t.deepEqual(JSON.parse(inImage), services['api']?.command)
})

/** These files and what they import of the project, directly or not. */
function withImports(files: string[], found = new Set<string>()): Set<string> {
  for (const file of files.filter((each) => !found.has(each))) {
    found.add(file)
    const imports = [...read(file).matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(file, '..', path))
    withImports(imports, found)
  }
  return found
}

const ownServices = Object.entries(services).filter(([, { image }]) => image === 'switchyard')

test('every service has a limit of memory and of its log, and the heap of Node is half of the limit', (t) => {
  for (const [name, { mem_limit = '', logging, init }] of Object.entries(services)) {
    t.true(bytesOf(mem_limit) >= bytesOf('256m'), name)
    t.deepEqual(logging, { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } }, name)
    t.is(init, name !== 'postgres', name)
  }
  for (const [name, { mem_limit = '', environment }] of ownServices) {
    const heap = `${bytesOf(mem_limit) / 2 / 1024 ** 2}`
    t.is(environment?.['NODE_OPTIONS'], `--max-old-space-size=${heap}`, name)
  }
  const [, size = '', unit = ''] = /^(\d+)(M)iB$/.exec(services['temporal']?.environment?.['GOMEMLIMIT'] ?? '') ?? []
  t.true(bytesOf(size + unit) < bytesOf(services['temporal']?.mem_limit ?? ''))
})

test('the settings of our services exist, and so does every volume, file and service that a service names', (t) => {
  const known = new Set(['NODE_OPTIONS', ...settingNames.flatMap((name) => [name, `${name}_FILE`])])
  for (const [name, { environment = {}, volumes: mounts = [] }] of ownServices) {
    for (const variable of Object.keys(environment)) t.true(known.has(variable), `${name} ${variable}`)
    if (name !== 'migrate') t.deepEqual(mounts, ['./config:/etc/switchyard:ro'])
  }
  for (const [name, service] of Object.entries(services)) {
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      t.truthy(services[other], `${name} ${other}`)
      if (condition === 'service_healthy') t.truthy(services[other]?.healthcheck, `${name} ${other}`)
      // A job that is started again forever is never completed.
      if (condition === 'service_completed_successfully') t.is(services[other]?.restart, 'on-failure:5')
    }
    for (const [from = ''] of (service.volumes ?? []).map((volume) => volume.split(':'))) {
      if (from.startsWith('./deploy')) t.true(statSync(join(root, from)).isDirectory(), from)
      else if (from !== './config') t.true(from in volumes, from)
    }
  }
})

test('no secret is in an environment: each is a file that the service is given', (t) => {
  for (const [name, { environment = {}, secrets: given = [] }] of Object.entries(services)) {
    for (const [variable, value] of Object.entries(environment)) {
      const isSecret = /PASSWORD|PWD|_KEYS?$|_KEY_|DATABASE_URL|SMTP_URL/.test(variable)
      if (!isSecret) continue
      t.regex(variable, /_FILE$/, `${name} ${variable}`)
      const [, secret = ''] = /^\/run\/secrets\/(\w+)$/.exec(value) ?? []
      t.true(given.includes(secret), `${name} ${variable}`)
      if (name === 'api' || name === 'worker' || name === 'migrate')
        t.true(settingNames.includes(variable.replace(/_FILE$/, '')), variable)
    }
    for (const secret of given) t.truthy(secrets[secret], `${name} ${secret}`)
  }
  t.deepEqual(services['temporal']?.secrets, ['temporal_password'], 'Temporal never sees the password of Switchyard')
  t.deepEqual(services['migrate']?.secrets, ['database_url'])
})

test('the script makes every secret, keeps what is there, and Switchyard can read it', async (t) => {
  if (spawnSync('openssl', ['version']).status !== 0) return t.log('skipped: there is no openssl on this machine')
  const above = mkdtempSync(join(tmpdir(), 'switchyard-'))
  t.teardown(() => rmSync(above, { recursive: true }))
  const folder = join(above, 'secrets')
  const run = () => promisify(execFile)('sh', [join(root, 'deploy/make-secrets.sh'), folder])
  const contents = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
  await run()
  t.deepEqual(readdirSync(folder).toSorted(), Object.keys(secrets).toSorted())
  t.is(statSync(folder).mode & 0o777, 0o700)
  const before = contents()
  await run()
  t.deepEqual(contents(), before)
  const set = Object.entries(services['api']?.environment ?? {})
  const env = Object.fromEntries(set.map(([name, value]) => [name, value.replace('/run/secrets', folder)]))
  const { TEMPORAL_NAMESPACE: _interpolated, BILLING, ...given } = env
  t.regex(BILLING ?? '', /^\$\{BILLING:\?.*\}$/, 'whoever starts it has to choose')
  const config = readConfig({ ...given, BILLING: 'off' })
  const password = readFileSync(join(folder, 'switchyard_password'), 'utf8').trim()
  t.is(config.database.url, `postgres://switchyard:${password}@postgres:5432/switchyard`)
  t.deepEqual([config.vaultKeys.length, config.auth.privateKeys.length], [1, 1])
  t.is(new Set(before.map(([, content]) => content)).size, before.length, 'no two are the same')
})
