import { readFileSync } from 'node:fs'
import test from 'ava'
import { serverVersion } from '../../../bin/cluster/temporal-programs.ts'
import { poolerFix } from '../../../src/health/checks/postgres.ts'

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('the server that is built has the version of the images', (t) => {
  const images = [...read('docker-compose.yml').matchAll(/temporalio\/(?:server|admin-tools):([\d.]+)/g)]
  t.true(images.length >= 3)
  for (const [, version] of images) t.is(version, serverVersion())
})

test('the shipped settings of PgBouncer are those that the doctor and the guide ask for', (t) => {
  const [, query = ''] = /connect_query='(.*)'$/m.exec(read('deploy/pgbouncer/pgbouncer.ini')) ?? []
  const [, ignored = ''] = /^ignore_startup_parameters = (.*)$/m.exec(read('deploy/pgbouncer/pgbouncer.ini')) ?? []
  for (const text of [poolerFix, read('docs/operate/second-machine.md')]) {
    t.true(text.includes(`connect_query='${query}'`))
    t.true(text.includes(`ignore_startup_parameters = ${ignored}`))
  }
})
